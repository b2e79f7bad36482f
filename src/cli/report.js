// What the scripts of all reports share. The page's own script follows and gets at the JSON in
// #data and these helpers through `report`.
'use strict';
const report = (() => {
  const root = document.documentElement;
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const faded = (hex, alpha = '2e') => hex + alpha;

  function axis(text, ticks = {}) {
    const quiet = colour('--quiet');
    return {
      title: {display: Boolean(text), text, color: quiet},
      ticks: {color: quiet, maxRotation: 0, ...ticks},
      grid: {color: colour('--line'), drawTicks: false},
      border: {display: false},
    };
  }

  const tooltip = () => ({
    backgroundColor: colour('--card'),
    titleColor: colour('--ink'),
    bodyColor: colour('--ink'),
    borderColor: colour('--quiet'),
    borderWidth: 1,
    usePointStyle: true,
    boxPadding: 6,
    padding: 10,
  });

  const options = () => ({
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    normalized: true,
    interaction: {mode: 'index', intersect: false},
  });

  // A line as its style says. A marker every so many points, at another place for each line, tells
  // lines apart without colour.
  function line(style, number, of, points) {
    const ink = colour('--p' + style.colour);
    const every = Math.max(4, Math.round(points.length / 7));
    const offset = Math.round((number * every) / of);
    return {
      label: style.name,
      data: points,
      borderColor: ink,
      backgroundColor: ink,
      borderWidth: style.width,
      borderDash: style.dash,
      pointStyle: style.marker,
      pointRadius: points.map((unused, i) => (i % every === offset ? 4 : 0)),
      pointHoverRadius: 5,
      pointBorderWidth: 1.5,
      tension: 0,
      order: of - number,  // the last is drawn on top
    };
  }

  // Draws {id, instance, type, datasets, options, plugins}, or draws it anew.
  function put(chart, datasets, chartOptions, plugins = []) {
    if (chart.instance) {
      chart.instance.data.datasets = datasets;
      chart.instance.options = chartOptions;
      chart.instance.update('none');
    } else {
      chart.instance = new Chart(document.getElementById(chart.id), {
        type: 'line',
        data: {datasets},
        options: chartOptions,
        plugins,
      });
    }
  }

  // The buttons of a legend show and hide: `hidden` has the numbers of those that do not show.
  function toggles(buttons, hidden, draw) {
    buttons.forEach((button, number) => {
      button.addEventListener('click', () => {
        hidden.has(number) ? hidden.delete(number) : hidden.add(number);
        button.setAttribute('aria-pressed', String(!hidden.has(number)));
        draw();
      });
    });
  }

  // Draws now, and whenever colours or the paper change. A chart's `wide` tells its size in print:
  // paper is white, and narrower than most windows.
  function start(charts, draw) {
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    addEventListener('beforeprint', () => {
      root.dataset.print = '';
      draw();
      for (const chart of charts)
        chart.instance.resize(chart.wide ? 660 : 320, chart.wide ? 340 : 230);
    });
    addEventListener('afterprint', () => {
      delete root.dataset.print;
      draw();
      for (const chart of charts) chart.instance.resize();
    });
    draw();
  }

  const data = JSON.parse(document.getElementById('data').textContent);
  return {data, colour, faded, axis, tooltip, options, line, put, toggles, start};
})();
