// Draws the charts of the report of `simulate`, and shows one run at a time.
(() => {
  const {data, colour, faded} = report;
  const select = document.getElementById('run');
  const hidden = new Set();
  const charts = [
    {id: 'chart-waits', wide: true}, {id: 'chart-gpus', wide: true}, {id: 'chart-waiting', wide: true},
  ];
  const [waits, gpus, waiting] = charts;
  const picture = () => data.pictures[select ? select.selectedIndex : 0];

  // "45 s", "12 min", "3 h", "2 d"
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  function short(seconds) {
    const [unit, name] = units.find(([size]) => seconds >= size) || [1, 's'];
    return Number((seconds / unit).toPrecision(2)) + ' ' + name;
  }

  // A moment of the picture: a date in UTC, or how long after its beginning.
  function moment(seconds) {
    const {start, dated} = picture();
    if (!dated) return 'after ' + short(seconds);
    const format = {month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false, timeZone: 'UTC'};
    return new Date(start + 1000 * seconds).toLocaleString('en-GB', format) + ' UTC';
  }

  // ---- waits

  function drawWaits() {
    const {lines} = data.waits;
    const times = data.waits.at_most;
    const full = (i) => lines.every((line) => line.percent[i] >= 99.995);
    const end = Math.max(12, times.findIndex((unused, i) => full(i)));
    const last = end > 0 && full(end) ? end : times.length - 1;
    const shown = times.slice(0, last + 1);
    const datasets = lines.map((line, number) => ({
      ...report.line(line, number, lines.length, shown.map((x, i) => ({x, y: line.percent[i]}))),
      hidden: hidden.has(number),
    }));
    const marks = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];
    const axis = report.axis('wait, on a logarithmic scale', {callback: (value) => short(value)});
    report.put(waits, datasets, {
      ...report.options(),
      scales: {
        x: {type: 'logarithmic', min: 1, max: times[last], ...axis,
          afterBuildTicks: (scale) => {
            scale.ticks = marks.filter((value) => value <= times[last]).map((value) => ({value}));
          }},
        y: {min: 0, max: 100, ...report.axis('% of the jobs')},
      },
      plugins: {
        legend: {display: false},
        tooltip: {
          ...report.tooltip(),
          itemSort: (a, b) => b.parsed.y - a.parsed.y,
          callbacks: {
            title: (items) => (items.length ? 'waited at most ' + short(items[0].parsed.x) : ''),
            label: (item) => ' ' + item.dataset.label + ': ' + item.parsed.y.toFixed(1) + ' %',
          },
        },
      },
    });
    describe(waits, 'Line chart: share of jobs by how long they waited at most, for ' +
      lines.map((line) => line.name).join(', ') + '. The table below has numbers.');
  }

  // ---- over time

  // Hatched: neither held nor free.
  function hatch(ink) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 6;
    const pen = tile.getContext('2d');
    pen.strokeStyle = ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(0, 6);
    pen.lineTo(6, 0);
    pen.stroke();
    return pen.createPattern(tile, 'repeat');
  }

  function fillOf(series) {
    if (series.kind === 'free') return 'transparent';
    if (series.kind === 'out') return hatch(colour('--quiet'));
    if (series.kind === 'unusable') return colour('--line');
    if (series.kind === 'gathering') return colour('--quiet');
    return colour('--p' + series.colour);
  }

  // Areas on top of each other, the first at the bottom. Values hold from one time to the next, so
  // each has two corners: point number i is of value i / 2. (Chart.js draws steps and stacks, but the
  // lower edge of a stacked step askew.)
  function stack(series, times) {
    const below = times.slice(1).fill(0);
    return series.map(({label, fill, values}, number) => {
      const points = values.flatMap((value, i) => {
        below[i] += value;
        return [{x: times[i], y: below[i], value}, {x: times[i + 1], y: below[i], value}];
      });
      return {
        label, data: points, fill: number === 0 ? 'origin' : '-1', backgroundColor: fill, borderWidth: 0,
        pointRadius: 0, pointHoverRadius: 0, pointStyle: 'rect', pointBackgroundColor: fill, tension: 0,
      };
    });
  }

  function stackOptions(unit, most) {
    const {length, ticks} = picture();
    const axis = report.axis('', {callback: (value) => ticks.find((tick) => tick.at === value)?.label});
    return {
      ...report.options(),
      scales: {
        x: {type: 'linear', min: 0, max: length, ...axis,
          afterBuildTicks: (scale) => { scale.ticks = ticks.map(({at}) => ({value: at})); }},
        y: {min: 0, ...(most ? {max: most} : {}), ...report.axis(unit, {includeBounds: true})},
      },
      plugins: {
        legend: {display: false},
        tooltip: {
          ...report.tooltip(),
          filter: (item) => item.raw.value > 0,
          itemSort: (a, b) => b.datasetIndex - a.datasetIndex,  // as they lie on each other
          callbacks: {
            title: (items) => (items.length ? moment(items[0].dataset.data[items[0].dataIndex & ~1].x) : ''),
            label: (item) => ' ' + item.dataset.label + ': ' + Number(item.raw.value.toFixed(1)),
          },
        },
      },
    };
  }

  function drawGpus() {
    const {gpus: series, step, length, most, name} = picture();
    const steps = Math.ceil(length / step);
    const times = [...Array(steps).keys()].map((i) => i * step).concat(length);
    const layers = series.map((one) => ({label: one.name, fill: fillOf(one), values: one.gpus}));
    note('step', short(step));
    report.put(gpus, stack(layers, times), stackOptions('GPUs', most));
    describe(gpus, 'Stacked area chart: GPUs held by each queue over time, of ' + most + ', under ' +
      name + '. The table “Over time, in numbers” has numbers.');
  }

  function drawWaiting() {
    const {waiting: {at, causes}, length, name} = picture();
    const layers = causes.map(({cause, jobs}) => (
      {label: data.causes[cause].name, fill: colour('--p' + data.causes[cause].colour), values: jobs}
    ));
    note('samples', at.length);
    report.put(waiting, stack(layers, [...at, length]), stackOptions('jobs'));
    describe(waiting, 'Stacked area chart: jobs waiting over time by reason, under ' + name +
      '. The table “Over time, in numbers” has numbers.');
  }

  function describe(chart, text) {
    document.getElementById(chart.id).setAttribute('aria-label', text);
  }

  function note(id, text) {
    document.getElementById(id).textContent = text;
  }

  function draw() {
    drawWaits();
    drawGpus();
    drawWaiting();
    for (const part of document.querySelectorAll('.of-run')) {
      part.hidden = Boolean(select) && Number(part.dataset.run) !== select.selectedIndex;
    }
  }

  if (select) select.addEventListener('change', draw);
  report.toggles([...document.querySelectorAll('#lines button')], hidden, draw);
  report.start(charts, draw);
})();
