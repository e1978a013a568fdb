import type { Alerts } from './alert.ts'

/** The process, its threads and its disk. */
export const machineAlerts: Alerts = {
  OffhookDown: {
    expr: 'up{job="offhook"} == 0',
    for: '1m',
    severity: 'page',
    summary: '{{ $labels.instance }} does not answer',
    meaning: 'The process is gone, stands still, or cannot be reached.',
    action:
      'See its supervisor (systemctl status offhook, or the container) and the last lines of its log. Wrong token: Prometheus says 401 on its page of targets.',
  },
  OffhookRestarts: {
    expr: 'changes(process_start_time_seconds{job="offhook"}[30m]) > 2',
    severity: 'ticket',
    summary: '{{ $labels.instance }} was started again {{ $value }} times within half an hour',
    meaning: 'It ends by itself. Its calls end each time, or go on at another process.',
    action:
      'The last lines of its log before each start say why; else look for a full heap (heap_near_limit) or the kernel’s OOM killer (journalctl -k).',
  },
  OffhookNotReady: {
    expr: 'offhook_ready == 0 and on (instance) offhook_store_up == 1',
    for: '15m',
    severity: 'ticket',
    summary: '{{ $labels.instance }} has taken no calls for a quarter of an hour',
    meaning: 'It was told to drain, and nobody let it go on.',
    action: 'Console, Operator, Processes: let it take calls again, or stop it.',
  },
  OffhookEventLoopBlocked: {
    expr: 'nodejs_eventloop_lag_p99_seconds{job="offhook"} > 0.2',
    for: '5m',
    severity: 'ticket',
    summary: '{{ $labels.instance }} is busy for {{ $value | humanizeDuration }} at a time',
    meaning: 'Everything but audio waits so long: signalling, events, the REST interface.',
    action:
      'Is the machine busy (rate of process_cpu_seconds_total)? Is it collecting garbage (nodejs_gc_duration_seconds)? Else report it, with the log.',
  },
  OffhookShedsLoad: {
    expr: 'sum by (instance) (rate(offhook_shed_total{kind="call"}[5m])) > 0.05',
    for: '2m',
    severity: 'page',
    summary: '{{ $labels.instance }} rejects {{ $value | humanize }} calls a second, because it is overloaded',
    meaning: 'Running calls stay undisturbed and emergency calls pass; other new calls get 503, unless another process takes them.',
    action:
      'offhook_load_ratio says what is too slow: loop or media need processors or another process, recogniser the same or a provider, database a look at PostgreSQL. A single account that calls in a loop is found in the history.',
  },
  OffhookMemoryNearLimit: {
    expr: 'offhook_heap_near_limit == 1',
    severity: 'page',
    summary: 'The heap of the thread {{ $labels.thread }} of {{ $labels.instance }} is nearly full',
    meaning: 'A thread without room ends: with the main thread all calls end.',
    action: 'Raise OFFHOOK_HEAP_MB, and start again when there are no calls. If it grows for days without more calls, report it.',
  },
  OffhookFilesScarce: {
    expr: 'process_open_fds{job="offhook"} / process_max_fds{job="offhook"} > 0.8',
    for: '5m',
    severity: 'page',
    summary: '{{ $labels.instance }} has {{ $value | humanizePercentage }} of the files and sockets open that it may',
    meaning: 'Soon connections and audio sockets cannot be opened.',
    action: 'Raise LimitNOFILE of the unit (ulimit -n). If it grows without more calls, report it.',
  },
  OffhookDiskFull: {
    expr: 'offhook_data_free_bytes / offhook_data_size_bytes < 0.1',
    for: '10m',
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of the data disk of {{ $labels.instance }} is free',
    meaning: 'When it is full, nothing can be written: calls are refused, recordings are cut.',
    action: 'Keep recordings for fewer days (OFFHOOK_RECORDINGS_DAYS), move them to S3, or make the disk larger.',
  },
  OffhookDiskFills: {
    expr: 'predict_linear(offhook_data_free_bytes[6h], 86400) < 0 and offhook_data_free_bytes / offhook_data_size_bytes < 0.4',
    for: '1h',
    severity: 'ticket',
    summary: 'The data disk of {{ $labels.instance }} will be full within a day',
    meaning: 'At the pace of the last six hours.',
    action: 'Find what grows (du -x in the data folder): recordings, faxes, the database.',
  },
  OffhookTracesDropped: {
    expr: 'sum by (instance) (increase(offhook_trace_spans_dropped_total[15m])) > 0',
    for: '15m',
    severity: 'ticket',
    summary: '{{ $labels.instance }} cannot get rid of its traces: {{ $value | humanize }} spans were dropped',
    meaning: 'The collector does not take them, or not fast enough. Calls are not concerned.',
    action: 'Is the collector at OTEL_EXPORTER_OTLP_ENDPOINT there? Else sample fewer calls (OTEL_TRACES_SAMPLER_ARG).',
  },
  OffhookCertificateEnds: {
    expr: 'offhook_certificate_expiry_timestamp_seconds - time() < 14 * 86400',
    for: '1h',
    severity: 'ticket',
    summary: 'The certificate {{ $labels.name }} of {{ $labels.instance }} ends in {{ $value | humanizeDuration }}',
    meaning: 'Who renews certificates should have done so by now.',
    action: 'Look at the log of Caddy or certbot. The new files have to be where OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY say.',
  },
  OffhookCertificateEnded: {
    expr: 'offhook_certificate_expiry_timestamp_seconds - time() < 86400',
    severity: 'page',
    summary: 'The certificate {{ $labels.name }} of {{ $labels.instance }} ends within a day, or has ended',
    meaning: 'Phones over TLS and browsers will not connect.',
    action: 'Renew it by hand now, then find out why nobody did.',
  },
}
