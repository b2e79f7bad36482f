// Draws the curves of the report of `pack`.
(() => {
  const {data, colour, faded} = report;
  const select = document.getElementById('list');
  const buttons = [...document.querySelectorAll('.legend button')];
  const hidden = new Set();
  let list = 0;

  const last = Math.max(...data.rows.map((row) => row.allocated.median.length - 1));

  const charts = [
    {id: 'chart-allocated', metric: 'allocated', from: Math.min(75, Math.max(0, last - 10)), band: true,
      wide: true, unit: '% of all GPUs', title: 'Allocated GPUs, % of all'},
    {id: 'chart-fragment', metric: 'fragment', from: 0, unit: '% of all GPUs',
      title: 'Fragment, % of all GPUs'},
    {id: 'chart-rate', metric: 'fragment_rate', from: 0, unit: '% of the idle GPUs',
      title: 'Fragment rate, % of the idle GPUs'},
  ];

  const rowsOfList = () => data.rows.filter((row) => row.list === list);
  const pointsOf = (values, from) => values.slice(from).map((y, i) => ({x: from + i, y}));

  function lineOf(row, chart) {
    const points = pointsOf(row[chart.metric].median, chart.from);
    const style = data.placements[row.placement];
    return {
      ...report.line(style, row.placement, data.placements.length, points),
      hidden: hidden.has(row.placement),
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
      {...common, data: pointsOf(metric.quartile1, chart.from), fill: false},
      {...common, data: pointsOf(metric.quartile3, chart.from), fill: '-1'},
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
    return {
      ...report.options(),
      scales: {
        x: {type: 'linear', min: chart.from, max: last,
          ...report.axis('arrived, % of all GPUs', {stepSize: chart.from > 0 ? 10 : 20, includeBounds: false})},
        y: {...rangeOf(chart), ...report.axis(chart.unit, {includeBounds: false})},
      },
      plugins: {
        legend: {display: false},
        tooltip: {
          ...report.tooltip(),
          filter: (item) => !item.dataset.isBand && !item.dataset.isBound,
          itemSort: (a, b) => b.parsed.y - a.parsed.y,
          callbacks: {
            title: (items) => (items.length ? items[0].parsed.x + ' % arrived' : ''),
            label: (item) => ' ' + item.dataset.label + ': ' + item.parsed.y.toFixed(2) + ' %',
          },
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
      report.put(chart, datasetsOf(chart), optionsOf(chart), [boundLabels]);
    }
  }

  if (select) {
    list = select.selectedIndex;
    select.addEventListener('change', () => { list = select.selectedIndex; draw(); });
  }
  report.toggles(buttons, hidden, draw);
  report.start(charts, draw);
})();
