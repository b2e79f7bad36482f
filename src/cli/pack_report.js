// Draws the curves of the report from the JSON in #data. The page is complete without it but for
// the curves.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const root = document.documentElement;
  const select = document.getElementById('list');
  const buttons = [...document.querySelectorAll('.legend button')];
  const hidden = new Set();
  let list = 0;

  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const faded = (hex) => hex + '2e';
  const last = Math.max(...data.rows.map((row) => row.allocated.median.length - 1));

  const charts = [
    {id: 'chart-allocated', metric: 'allocated', from: Math.min(75, Math.max(0, last - 10)), band: true,
      unit: '% of all GPUs', title: 'Allocated GPUs, % of all'},
    {id: 'chart-fragment', metric: 'fragment', from: 0, unit: '% of all GPUs',
      title: 'Fragment, % of all GPUs'},
    {id: 'chart-rate', metric: 'fragment_rate', from: 0, unit: '% of the idle GPUs',
      title: 'Fragment rate, % of the idle GPUs'},
  ];

  const rowsOfList = () => data.rows.filter((row) => row.list === list);
  const points = (values, from) => values.slice(from).map((y, i) => ({x: from + i, y}));

  function lineOf(row, chart) {
    const style = data.placements[row.placement];
    const ink = colour('--p' + style.colour);
    const shown = points(row[chart.metric].median, chart.from);
    // A marker every tenth point, at another place for each line, tells lines apart without colour.
    const every = Math.max(4, Math.round(shown.length / 7));
    const offset = Math.round((row.placement * every) / data.placements.length);
    return {
      label: style.name, data: shown, borderColor: ink, backgroundColor: ink,
      borderWidth: style.width, borderDash: style.dash, pointStyle: style.marker,
      pointRadius: shown.map((unused, i) => (i % every === offset ? 4 : 0)),
      pointHoverRadius: 5, pointBorderWidth: 1.5, hidden: hidden.has(row.placement), tension: 0,
      order: data.placements.length - row.placement,  // the last is drawn on top
    };
  }

  // The middle half of the seeds: two invisible lines with a fill between them.
  function bandOf(row, chart) {
    const style = data.placements[row.placement];
    const common = {
      borderWidth: 0, pointRadius: 0, pointHoverRadius: 0, isBand: true,
      hidden: hidden.has(row.placement), order: 1000,
      backgroundColor: faded(colour('--p' + style.colour)),
    };
    const metric = row[chart.metric];
    return [
      {...common, data: points(metric.quartile1, chart.from), fill: false},
      {...common, data: points(metric.quartile3, chart.from), fill: '-1'},
    ];
  }

  function boundsOf(chart) {
    const bound = data.bounds[list];
    if (chart.metric !== 'allocated' || !bound) return [];
    // Known for 100 % arrived, and so for all that comes before.
    const line = (y, label, condition, dash) => ({
      label, condition, isBound: true, data: [{x: chart.from, y}, {x: Math.min(100, last), y}],
      borderColor: colour('--ink'), borderWidth: 1.5, borderDash: dash, pointRadius: 0,
      pointHoverRadius: 0, order: 0,
    });
    return [
      line(bound.free, 'bound', '', [2, 3]),
      line(bound.prefix, 'bound', ' when no common task is dropped early', [7, 3]),
    ];
  }

  function datasetsOf(chart) {
    const rows = rowsOfList();
    return [
      ...rows.map((row) => lineOf(row, chart)),
      ...(chart.band ? rows.flatMap((row) => bandOf(row, chart)) : []),
      ...boundsOf(chart),
    ];
  }

  // Writes on a bound what it says; the legend is for placements.
  const boundLabels = {
    id: 'boundLabels',
    afterDatasetsDraw(chart) {
      const {ctx, chartArea} = chart;
      chart.data.datasets.forEach((dataset, index) => {
        if (!dataset.isBound) return;
        const [start] = chart.getDatasetMeta(index).data;
        ctx.save();
        ctx.fillStyle = colour('--ink');
        ctx.font = '12px ' + Chart.defaults.font.family;
        const above = index === chart.data.datasets.length - 2;
        ctx.textBaseline = above ? 'bottom' : 'top';
        const condition = chart.width < 560 ? '' : dataset.condition;
        const text = dataset.label + condition + ' ' + dataset.data[0].y.toFixed(2);
        ctx.strokeStyle = colour('--ground');
        ctx.lineWidth = 4;
        ctx.lineJoin = 'round';
        ctx.strokeText(text, chartArea.left + 8, start.y + (above ? -3 : 4));
        ctx.fillText(text, chartArea.left + 8, start.y + (above ? -3 : 4));
        ctx.restore();
      });
    },
  };

  // Nothing can be allocated before it arrives, so the allocation starts where the arrival does.
  function rangeOf(chart) {
    if (chart.metric !== 'allocated') return {min: 0};
    const bound = data.bounds[list];
    const values = rowsOfList().flatMap((row) => row.allocated.quartile3.slice(chart.from));
    return {min: chart.from, max: Math.min(100, Math.max(...values, bound ? bound.free : 0) + 1)};
  }

  function optionsOf(chart) {
    const quiet = colour('--quiet');
    const axis = (text, ticks) => ({
      title: {display: true, text, color: quiet}, ticks: {color: quiet, maxRotation: 0, ...ticks},
      grid: {color: colour('--line'), drawTicks: false}, border: {display: false},
    });
    return {
      animation: false, responsive: true, maintainAspectRatio: false, normalized: true,
      interaction: {mode: 'index', intersect: false},
      scales: {
        x: {type: 'linear', min: chart.from, max: last,
          ...axis('arrived, % of all GPUs', {stepSize: chart.from > 0 ? 10 : 20, includeBounds: false})},
        y: {...rangeOf(chart), ...axis(chart.unit, {includeBounds: false})},
      },
      plugins: {
        legend: {display: false},
        tooltip: {
          filter: (item) => !item.dataset.isBand && !item.dataset.isBound,
          itemSort: (a, b) => b.parsed.y - a.parsed.y,
          callbacks: {
            title: (items) => (items.length ? items[0].parsed.x + ' % arrived' : ''),
            label: (item) => ' ' + item.dataset.label + ': ' + item.parsed.y.toFixed(2) + ' %',
          },
          backgroundColor: colour('--card'), titleColor: colour('--ink'),
          bodyColor: colour('--ink'), borderColor: colour('--quiet'), borderWidth: 1,
          usePointStyle: true, boxPadding: 6, padding: 10,
        },
      },
    };
  }

  function describe(chart) {
    const at = Math.min(data.point, last);
    const values = rowsOfList().map((row) => {
      const value = row[chart.metric].median[at];
      return data.placements[row.placement].name + ' ' + (value === null ? 'none' : value.toFixed(2));
    });
    const canvas = document.getElementById(chart.id);
    canvas.setAttribute('aria-label', 'Line chart: ' + chart.title + ', against arrived demand from ' +
      chart.from + ' to ' + last + ' %. ' + data.lists[list] + ', medians at ' + at +
      ' % arrived: ' + values.join(', ') + '.');
  }

  function draw() {
    for (const chart of charts) {
      describe(chart);
      const datasets = datasetsOf(chart);
      if (chart.instance) {
        chart.instance.data.datasets = datasets;
        chart.instance.options = optionsOf(chart);
        chart.instance.update('none');
      } else {
        chart.instance = new Chart(document.getElementById(chart.id), {
          type: 'line', data: {datasets}, options: optionsOf(chart), plugins: [boundLabels],
        });
      }
    }
  }

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  if (select) {
    list = select.selectedIndex;
    select.addEventListener('change', () => { list = select.selectedIndex; draw(); });
  }
  buttons.forEach((button, placement) => {
    button.addEventListener('click', () => {
      hidden.has(placement) ? hidden.delete(placement) : hidden.add(placement);
      button.setAttribute('aria-pressed', String(!hidden.has(placement)));
      draw();
    });
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  // Paper is white, and narrower than most windows.
  addEventListener('beforeprint', () => {
    root.dataset.print = '';
    draw();
    for (const chart of charts) chart.instance.resize(chart.band ? 660 : 320, chart.band ? 340 : 230);
  });
  addEventListener('afterprint', () => {
    delete root.dataset.print;
    draw();
    for (const chart of charts) chart.instance.resize();
  });
  draw();
})();
