'use strict';
// Stands behind the script of a page: uses the page as a reader does, and writes what it shows as
// JSON into an element "observed".
(() => {
  const byId = id => document.getElementById(id);
  const texts = selector => [...document.querySelectorAll(selector)].map(e => e.textContent);
  const isVisible = selector => document.querySelector(selector).offsetParent !== null;
  const enter = (id, value) => {
    byId(id).value = value;
    byId(id).dispatchEvent(new Event(byId(id).tagName === 'SELECT' ? 'change' : 'input'));
  };
  const heading = name => [...document.querySelectorAll('#head button')].find(e => e.textContent === name);
  const column = name => {
    const position = texts('#head button').indexOf(name) + 1;
    return texts(`#rows tr.row td:nth-child(${position})`);
  };
  const seen = {};

  seen.width = innerWidth;
  seen.isWiderThanWindow = document.documentElement.scrollWidth > innerWidth;
  seen.cutOff = [...document.querySelectorAll('.scroll')]
    .filter(box => box.scrollWidth > box.clientWidth)
    .map(box => box.textContent.slice(0, 40));
  seen.charts = texts('figure svg text[font-weight]');
  seen.allRows = byId('count').textContent;

  enter('filter-sample', 'model_1');
  enter('filter-outcome', 'ok');
  seen.filtered = column('sample');
  seen.filteredOutcomes = column('outcome');
  enter('filter-sample', '');
  enter('filter-outcome', '*');
  heading('speedup').click();
  seen.fastestFirst = column('speedup');
  heading('speedup').click();
  seen.slowestFirst = column('speedup');

  seen.headings = texts('#head button');
  byId('quantiles').click();
  seen.moreHeadings = texts('#head button');
  heading('plugin p99').click();
  const nanoseconds = {ns: 1, us: 1e3, ms: 1e6, s: 1e9};
  seen.slowestCalls = column('plugin p99').filter(text => text !== '').map(text => {
    const [value, unit] = text.split(' ');
    return Number(value) * nanoseconds[unit];
  });
  byId('quantiles').click();

  document.querySelector('#rows tr.row').click();
  seen.rowDetails = texts('#rows tr.detail dt');
  const sample = document.querySelector('#samples-rows .opener');
  sample.click();
  seen.sample = sample.textContent;
  seen.sampleDetails = texts('#samples-rows tr.detail th');
  seen.address = location.hash;

  const parts = () => [isVisible('.of-all table'), isVisible('.of-common table')];
  seen.partsBefore = parts();
  byId('only-common').click();
  seen.partsAfter = parts();
  seen.commonRows = byId('count').textContent;
  seen.commonOutcomes = [...new Set(column('outcome'))];

  const paper = () => getComputedStyle(document.body).backgroundColor;
  seen.paper = [paper()];
  byId('theme').click();
  seen.paper.push(paper());
  seen.requests = performance.getEntriesByType('resource').map(entry => entry.name);

  const written = document.body.appendChild(document.createElement('pre'));
  written.id = 'observed';
  written.textContent = JSON.stringify(seen);
})();
