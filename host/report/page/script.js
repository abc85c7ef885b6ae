'use strict';
(() => {
  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId('data').textContent);
  const pageRows = 100;

  // Theme: as the system, until the button is pressed.
  byId('theme').addEventListener('click', () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark'
                                      : matchMedia('(prefers-color-scheme:dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
  });

  const scatter = byId('scatter-pair');
  if (scatter) {
    const figures = document.querySelectorAll('#scatter-charts figure');
    scatter.addEventListener('change', () =>
      figures.forEach((figure, i) => { figure.hidden = i !== scatter.selectedIndex; }));
  }

  const duration = ns => {
    if (ns === null) return '';
    const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
    const [size, unit] = units.find(([least]) => ns >= least) || units[3];
    return `${Number((ns / size).toPrecision(3))} ${unit}`;
  };
  const ratio = value => value === null ? '' : `${Number(value.toPrecision(4))}x`;
  const interval = i => data.low[i] === null ? 'no interval'
    : `[${Number(data.low[i].toPrecision(4))}, ${Number(data.high[i].toPrecision(4))}]`;
  const error = value => value === null ? '' : value === 0 ? '0' : value.toExponential(1);
  const plain = value => value === null ? '' : String(value);

  // Every column of the data: key, heading, how a value reads. Words are numbers of the dictionary.
  const word = key => i => data.words[data[key][i]];
  const number = (key, show) => i => show(data[key][i]);
  const columns = [
    {key: 'sample', name: 'sample', text: word('sample')},
    {key: 'backend', name: 'backend', text: i => data.backends[data.backend[i]]},
    {key: 'outcome', name: 'outcome', text: word('outcome')},
    {key: 'speedup', name: 'speedup', text: number('speedup', ratio), isNumber: true},
    {key: 'low', name: 'interval', text: i => data.speedup[i] === null ? '' : interval(i), isNumber: true},
    {key: 'timing', name: 'timing', text: word('timing')},
    {key: 'eager', name: 'eager', text: number('eager', duration), isNumber: true},
    {key: 'plugin', name: 'plugin', text: number('plugin', duration), isNumber: true},
    {key: 'compile', name: 'compile', text: number('compile', duration), isNumber: true},
    {key: 'break_even', name: 'break-even', text: number('break_even', plain), isNumber: true},
    {key: 'error', name: 'relative RMS', text: number('error', error), isNumber: true},
    {key: 'verdict', name: 'verdict', text: word('verdict')},
    {key: 'flags', name: 'flags', text: word('flags')},
  ];
  const details = columns.concat([
    {name: 'family', text: word('family')},
    {name: 'category', text: word('category')},
    {name: 'message', text: word('message')},
    {name: 'left out of means', text: word('left_out')},
    {name: 'bind', text: number('bind', duration)},
    {name: 'first call', text: number('first_call', duration)},
    {name: 'pairs', text: number('pairs', plain)},
  ]);
  const filters = ['backend', 'outcome', 'timing', 'verdict', 'category', 'family', 'flags'];
  const valueOf = key => key === 'backend' ? i => data.backends[data.backend[i]] : word(key);

  const state = {order: [], page: 0, key: null, isDown: false};

  const element = (name, text, css) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (css) made.className = css;
    return made;
  };

  const compare = (a, b) => {
    const column = columns.find(candidate => candidate.key === state.key);
    const x = column.isNumber ? data[state.key][a] : column.text(a);
    const y = column.isNumber ? data[state.key][b] : column.text(b);
    if (x === y) return a - b;
    if (x === null || x === '') return 1;  // what is missing comes last either way
    if (y === null || y === '') return -1;
    return (x < y ? -1 : 1) * (state.isDown ? -1 : 1);
  };

  const select = () => {
    const needle = byId('filter-sample').value.toLowerCase();
    const wanted = filters.map(key => [valueOf(key), byId(`filter-${key}`).value])
                          .filter(([, value]) => value !== '*');
    const sample = word('sample');
    state.order = [];
    for (let i = 0; i < data.sample.length; ++i) {
      if (needle && !sample(i).toLowerCase().includes(needle)) continue;
      if (wanted.every(([value, chosen]) => value(i) === chosen)) state.order.push(i);
    }
    if (state.key) state.order.sort(compare);
    state.page = 0;
    draw();
  };

  const detailRow = i => {
    const row = element('tr', undefined, 'detail');
    const cell = row.appendChild(element('td'));
    cell.colSpan = columns.length;
    const list = cell.appendChild(element('dl'));
    for (const detail of details) {
      const text = detail.text(i);
      if (!text) continue;
      list.append(element('dt', detail.name, 'muted'), element('dd', text));
    }
    return row;
  };

  const toggle = (row, i) => {
    const next = row.nextSibling;
    if (next && next.className === 'detail') next.remove();
    else row.after(detailRow(i));
  };

  const draw = () => {
    const body = byId('rows');
    const pages = Math.max(1, Math.ceil(state.order.length / pageRows));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    body.textContent = '';
    for (const i of state.order.slice(state.page * pageRows, (state.page + 1) * pageRows)) {
      const row = body.appendChild(element('tr', undefined, 'row'));
      row.tabIndex = 0;
      for (const column of columns) {
        const cell = row.appendChild(element('td', column.text(i), column.isNumber ? 'n' : ''));
        if (column.key === 'outcome' && cell.textContent !== 'ok') cell.classList.add('bad');
        if (column.key === 'flags') cell.classList.add('bad');
      }
      row.addEventListener('click', () => toggle(row, i));
      row.addEventListener('keydown', event => { if (event.key === 'Enter') toggle(row, i); });
    }
    byId('count').textContent = `${state.order.length} of ${data.sample.length} rows, page ${state.page + 1} of ${pages}`;
    document.querySelectorAll('#results-table th').forEach((th, i) => {
      th.removeAttribute('aria-sort');
      if (columns[i].key === state.key) th.setAttribute('aria-sort', state.isDown ? 'descending' : 'ascending');
    });
  };

  const quote = text => /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  const save = () => {
    const head = ['sample', 'backend', 'outcome', 'speedup', 'low', 'high', 'eager_ns', 'plugin_ns', 'compile_ns'];
    const lines = [head.join(',')];
    for (const i of state.order) {
      const cells = [word('sample')(i), data.backends[data.backend[i]], word('outcome')(i)]
        .concat(['speedup', 'low', 'high', 'eager', 'plugin', 'compile'].map(key => plain(data[key][i])));
      lines.push(cells.map(quote).join(','));
    }
    const link = element('a');
    link.href = URL.createObjectURL(new Blob([lines.join('\n') + '\n'], {type: 'text/csv'}));
    link.download = 'graphnet.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const head = byId('head');
  for (const column of columns) {
    const th = head.appendChild(element('th', undefined, column.isNumber ? 'n' : ''));
    th.scope = 'col';
    th.appendChild(element('button', column.name)).addEventListener('click', () => {
      state.isDown = state.key === column.key ? !state.isDown : Boolean(column.isNumber);
      state.key = column.key;
      select();
    });
  }
  const controls = byId('filters');
  for (const key of filters) {
    const values = new Set();
    for (let i = 0; i < data.sample.length; ++i) values.add(valueOf(key)(i));
    const label = element('label', `${key} `);
    if (values.size < 2) label.hidden = true;
    const box = label.appendChild(element('select'));
    box.id = `filter-${key}`;
    box.append(new Option('all', '*'));
    for (const value of [...values].sort()) box.append(new Option(value || 'none', value));
    box.addEventListener('change', select);
    controls.append(label);
  }
  byId('filter-sample').addEventListener('input', select);
  byId('previous').addEventListener('click', () => { --state.page; draw(); });
  byId('next').addEventListener('click', () => { ++state.page; draw(); });
  byId('save').addEventListener('click', save);
  select();
})();
