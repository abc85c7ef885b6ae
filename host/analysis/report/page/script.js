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

  // Tables and charts are in the page twice: over all samples and over those that every backend did.
  const onlyCommon = byId('only-common');
  const isShown = i => !onlyCommon || !onlyCommon.checked || data.common[i] === 1;
  if (onlyCommon) {
    byId('toggle').hidden = false;
    onlyCommon.addEventListener('change', () => {
      document.documentElement.dataset.samples = onlyCommon.checked ? 'common' : 'all';
      select();
      findSamples();
    });
  }

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
  const percent = value => value === null ? '' : `${Number((100 * value).toPrecision(3))} %`;
  const plain = value => value === null ? '' : String(value);

  // Every column of the data: key, heading, how a value reads. Words are numbers of the dictionary.
  // isWord: a word of about ten letters, which should not be broken.
  const word = key => i => data.words[data[key][i]];
  const number = (key, show) => i => show(data[key][i]);
  const columns = [
    {key: 'sample', name: 'sample', text: word('sample')},
    {key: 'backend', name: 'backend', text: i => data.backends[data.backend[i]], isWord: true},
    {key: 'outcome', name: 'outcome', text: word('outcome'), isWord: true},
    {key: 'speedup', name: 'speedup', text: number('speedup', ratio), isNumber: true},
    {key: 'low', name: 'interval', text: i => data.speedup[i] === null ? '' : interval(i), isNumber: true},
    {key: 'timing', name: 'timing', text: word('timing')},
    {key: 'eager', name: 'eager', text: number('eager', duration), isNumber: true},
    {key: 'plugin', name: 'plugin', text: number('plugin', duration), isNumber: true},
    ...['eager', 'plugin'].flatMap(side => ['p90', 'p99'].map(part =>
      ({key: `${side}_${part}`, name: `${side} ${part}`, text: number(`${side}_${part}`, duration),
        isNumber: true, isQuantile: true}))),
    {key: 'compile', name: 'compile', text: number('compile', duration), isNumber: true},
    {key: 'break_even', name: 'break-even', text: number('break_even', plain), isNumber: true},
    {key: 'limit', name: 'of limit', text: number('limit', percent), isNumber: true},
    {key: 'error', name: 'relative RMS', text: number('error', error), isNumber: true},
    {key: 'verdict', name: 'verdict', text: word('verdict')},
    {key: 'flags', name: 'flags', text: word('flags'), isWord: true},
  ];
  // A table with quantiles is wider than most windows.
  const shownColumns = () => columns.filter(column => !column.isQuantile || byId('quantiles').checked);
  const shares = i => {
    const parts = [];
    for (let k = 0; k < data.shares[i].length; k += 2) {
      parts.push(`${data.words[data.shares[i][k]]} ${data.shares[i][k + 1]} %`);
    }
    return parts.join(', ');
  };
  const details = columns.concat([
    {name: 'family', text: word('family')},
    {name: 'category', text: word('category')},
    {name: 'limited by', text: word('limited_by')},
    {name: 'message', text: word('message')},
    {name: 'left out of means', text: word('left_out')},
    {name: 'passes from t', text: word('levels')},
    {name: 'bind', text: number('bind', duration)},
    {name: 'first call', text: number('first_call', duration)},
    {name: 'pairs', text: number('pairs', plain)},
    {name: 'time was spent in', text: shares},
    {name: 'libtorch operators', text: word('operators')},
    {name: 'plugin code entered', text: word('entered')},
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
      if (!isShown(i) || needle && !sample(i).toLowerCase().includes(needle)) continue;
      if (wanted.every(([value, chosen]) => value(i) === chosen)) state.order.push(i);
    }
    if (state.key) state.order.sort(compare);
    state.page = 0;
    draw();
  };

  const detailRow = i => {
    const row = element('tr', undefined, 'detail');
    const cell = row.appendChild(element('td'));
    cell.colSpan = shownColumns().length;
    const list = cell.appendChild(element('dl'));
    for (const detail of details) {
      const text = detail.text(i);
      if (!text) continue;
      list.append(element('dt', detail.name, 'muted'), element('dd', text));
    }
    const link = cell.appendChild(element('a', 'this sample with every backend'));
    link.href = `#sample=${encodeURIComponent(word('sample')(i))}`;
    return row;
  };

  const toggle = (row, i) => {
    const next = row.nextSibling;
    if (next && next.className === 'detail') next.remove();
    else row.after(detailRow(i));
  };

  const draw = () => {
    const body = byId('rows');
    const drawn = shownColumns();
    const pages = Math.max(1, Math.ceil(state.order.length / pageRows));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    body.textContent = '';
    for (const i of state.order.slice(state.page * pageRows, (state.page + 1) * pageRows)) {
      const row = body.appendChild(element('tr', undefined, 'row'));
      row.tabIndex = 0;
      for (const column of drawn) {
        const cell = row.appendChild(element('td', column.text(i), column.isNumber ? 'n' : column.isWord ? 'word' : ''));
        if (column.key === 'outcome' && cell.textContent !== 'ok') cell.classList.add('bad');
        if (column.key === 'flags') cell.classList.add('bad');
      }
      row.addEventListener('click', () => toggle(row, i));
      row.addEventListener('keydown', event => { if (event.key === 'Enter') toggle(row, i); });
    }
    byId('count').textContent = `${state.order.length} of ${data.sample.length} rows, page ${state.page + 1} of ${pages}`;
    document.querySelectorAll('#results-table th').forEach((th, i) => {
      th.removeAttribute('aria-sort');
      if (drawn[i].key === state.key) th.setAttribute('aria-sort', state.isDown ? 'descending' : 'ascending');
    });
  };

  const quote = text => /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  const save = () => {
    const numbers = ['speedup', 'low', 'high'];
    const times = ['eager', 'plugin', 'eager_p90', 'eager_p99', 'plugin_p90', 'plugin_p99', 'compile'];
    const lines = [['sample', 'backend', 'outcome', ...numbers, ...times.map(key => `${key}_ns`)].join(',')];
    for (const i of state.order) {
      const cells = [word('sample')(i), data.backends[data.backend[i]], word('outcome')(i)]
        .concat([...numbers, ...times].map(key => plain(data[key][i])));
      lines.push(cells.map(quote).join(','));
    }
    const link = element('a');
    link.href = URL.createObjectURL(new Blob([lines.join('\n') + '\n'], {type: 'text/csv'}));
    link.download = 'graphnet.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const drawHead = () => {
    const head = byId('head');
    head.textContent = '';
    for (const column of shownColumns()) {
      const th = head.appendChild(element('th', undefined, column.isNumber ? 'n' : ''));
      th.scope = 'col';
      th.appendChild(element('button', column.name)).addEventListener('click', () => {
        state.isDown = state.key === column.key ? !state.isDown : Boolean(column.isNumber);
        state.key = column.key;
        select();
      });
    }
  };
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
  // The samples: one row each with a cell a backend, and on demand a column a backend with
  // everything that is known. Rows of the data are sorted by sample.
  const samplesPage = 50;
  const groups = [];
  for (let i = 0; i < data.sample.length; ++i) {
    const last = groups[groups.length - 1];
    if (last && data.sample[last.rows[0]] === data.sample[i]) last.rows.push(i);
    else groups.push({name: word('sample')(i), rows: [i]});
  }
  const outcome = word('outcome');
  const isOk = i => outcome(i) === 'ok';
  const kinds = [
    ['any result', () => true],
    ['a failure', rows => rows.some(i => !isOk(i))],
    ['all ok', rows => rows.every(isOk)],
    ['a flag', rows => rows.some(i => word('flags')(i))],
    ['a slower backend', rows => rows.some(i => word('timing')(i) === 'slower')],
    ['different outcomes', rows => rows.some(i => outcome(i) !== outcome(rows[0]))],
  ];
  const shown = {groups, page: 0};
  const ofSample = ['sample', 'family', 'category'];
  const first = ['backend', 'outcome', 'message'];
  const rank = detail => first.includes(detail.name) ? first.indexOf(detail.name) : first.length;
  const sampleLines = details.filter(detail => !ofSample.includes(detail.name))
                             .sort((a, b) => rank(a) - rank(b));

  // Of several results with one backend (other conditions) each has a column.
  const samplePage = group => {
    const row = element('tr', undefined, 'detail');
    const cell = row.appendChild(element('td'));
    cell.colSpan = data.backends.length + 2;
    cell.append(element('p', `${word('family')(group.rows[0])}, ${word('category')(group.rows[0])}`, 'muted'));
    const table = cell.appendChild(element('div', undefined, 'scroll')).appendChild(element('table'));
    for (const detail of sampleLines) {
      const texts = group.rows.map(detail.text);
      if (texts.every(text => !text)) continue;
      const line = table.appendChild(element('tr'));
      line.appendChild(element('th', detail.name)).scope = 'row';
      texts.forEach((text, k) => {
        const isBad = detail.name === 'flags' || detail.name === 'outcome' && !isOk(group.rows[k]);
        line.append(element('td', text, isBad ? 'bad' : ''));
      });
    }
    return row;
  };

  const toggleSample = (row, group, isOpen) => {
    const next = row.nextSibling;
    const wasOpen = next && next.className === 'detail';
    if (wasOpen && isOpen) return;
    if (wasOpen) next.remove();
    else row.after(samplePage(group));
    row.firstChild.firstChild.setAttribute('aria-expanded', String(!wasOpen));
  };

  const isDoubtful = i => isOk(i) && word('left_out')(i) !== '';
  const short = i => {
    const text = isOk(i) ? ratio(data.speedup[i]) || 'ok' : outcome(i);
    return isDoubtful(i) ? `(${text})` : text;
  };
  const drawSamples = () => {
    const body = byId('samples-rows');
    const pages = Math.max(1, Math.ceil(shown.groups.length / samplesPage));
    shown.page = Math.min(Math.max(0, shown.page), pages - 1);
    body.textContent = '';
    for (const group of shown.groups.slice(shown.page * samplesPage, (shown.page + 1) * samplesPage)) {
      const row = body.appendChild(element('tr', undefined, 'row'));
      const opener = row.appendChild(element('td')).appendChild(element('button', group.name, 'opener'));
      opener.setAttribute('aria-expanded', 'false');
      row.append(element('td', word('category')(group.rows[0])));
      data.backends.forEach((_, backend) => {
        const mine = group.rows.filter(i => data.backend[i] === backend);
        const cell = row.appendChild(element('td', mine.map(short).join(', '), 'n'));
        if (mine.some(i => !isOk(i))) cell.classList.add('bad');
        if (mine.some(isDoubtful)) {
          cell.classList.add('muted');
          cell.title = mine.filter(isDoubtful).map(word('left_out')).join(', ');
        }
      });
      row.addEventListener('click', () => {
        toggleSample(row, group);
        history.replaceState(null, '', `#sample=${encodeURIComponent(group.name)}`);
      });
    }
    byId('samples-count').textContent =
      `${shown.groups.length} of ${groups.length} samples, page ${shown.page + 1} of ${pages}`;
  };

  const findSamples = () => {
    const needle = byId('find-sample').value.toLowerCase();
    const fits = kinds[byId('find-kind').selectedIndex][1];
    shown.groups = groups.filter(group => isShown(group.rows[0]) && fits(group.rows) &&
      group.name.toLowerCase().includes(needle));
    shown.page = 0;
    drawSamples();
  };

  // An address that ends "#sample=timm/x" opens that sample.
  const followAddress = () => {
    const start = '#sample=';
    if (!location.hash.startsWith(start)) return;
    let name = location.hash.slice(start.length);
    try { name = decodeURIComponent(name); } catch (error) { return; }
    byId('find-sample').value = '';
    byId('find-kind').selectedIndex = 0;
    if (onlyCommon && onlyCommon.checked) onlyCommon.click();
    findSamples();
    const index = groups.findIndex(group => group.name === name);
    if (index < 0) return;
    shown.page = Math.floor(index / samplesPage);
    drawSamples();
    const row = byId('samples-rows').children[index % samplesPage];
    toggleSample(row, groups[index], true);
    row.scrollIntoView();
  };

  byId('samples-head').append(element('th', 'sample'), element('th', 'category'),
                              ...data.backends.map(name => element('th', name, 'n')));
  byId('find-kind').append(...kinds.map(([name]) => new Option(name)));
  byId('find-sample').addEventListener('input', findSamples);
  byId('find-kind').addEventListener('change', findSamples);
  byId('samples-previous').addEventListener('click', () => { --shown.page; drawSamples(); });
  byId('samples-next').addEventListener('click', () => { ++shown.page; drawSamples(); });
  addEventListener('hashchange', followAddress);
  drawSamples();
  followAddress();

  byId('filter-sample').addEventListener('input', select);
  byId('previous').addEventListener('click', () => { --state.page; draw(); });
  byId('next').addEventListener('click', () => { ++state.page; draw(); });
  byId('save').addEventListener('click', save);
  byId('quantiles').addEventListener('change', () => { drawHead(); draw(); });
  drawHead();
  select();
})();
