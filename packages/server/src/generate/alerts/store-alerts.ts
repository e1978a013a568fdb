import type { Alerts } from './alert.ts'

/** The database, and what waits in it. */
export const storeAlerts: Alerts = {
  OffhookDatabaseAway: {
    expr: 'offhook_store_up == 0',
    for: '1m',
    severity: 'page',
    summary: '{{ $labels.instance }} does not reach its database',
    meaning: 'Running calls go on. New ones are led by what is remembered, for five minutes; what costs money is refused.',
    action: 'Start PostgreSQL, or repair the way to it. What happened meanwhile waits in the data folder: keep it.',
  },
  OffhookDatabaseFull: {
    expr: 'offhook_store_full == 1',
    severity: 'page',
    summary: 'The disk of the database of {{ $labels.instance }} is full',
    meaning: 'Nothing can be written; new calls are refused.',
    action: 'Make room. Nothing has to be started again.',
  },
  OffhookDatabasePoolFull: {
    expr: 'offhook_db_pool_waiting > 0',
    for: '1m',
    severity: 'ticket',
    summary: '{{ $value }} wait for a database connection on {{ $labels.instance }}',
    meaning: 'All connections are in use all the time: PostgreSQL is slow, or there are too few.',
    action:
      'See offhook_db_query_seconds. If statements are fast, raise OFFHOOK_DB_POOL; all processes together must stay below max_connections less 10.',
  },
  OffhookDatabaseSlow: {
    expr: 'histogram_quantile(0.95, sum by (le, instance) (rate(offhook_db_write_seconds_bucket[10m]))) > 0.25',
    for: '10m',
    severity: 'ticket',
    summary: 'One transaction in twenty of {{ $labels.instance }} takes longer than {{ $value | humanizeDuration }}',
    meaning: 'Calls are set up later, and the ledger and histories are behind.',
    action: 'SQLite: a slow disk, or a backup. PostgreSQL: locks (pg_stat_activity), missing vacuum, a slow disk, the network.',
  },
  OffhookOutboxStuck: {
    expr: 'max by (kind) (offhook_outbox_overdue_seconds) > 120',
    for: '5m',
    severity: 'page',
    summary: 'Nobody delivers messages of kind {{ $labels.kind }}: they are {{ $value | humanizeDuration }} late',
    meaning: 'No process takes them, though their time has come.',
    action:
      'Look for delivery_failed with kind queue in the log, and at offhook_store_up. A process of an older version may lack the kind.',
  },
  OffhookOutboxOld: {
    expr: 'max by (kind) (offhook_outbox_oldest_seconds{kind=~"mail|carrier"}) > 900',
    for: '5m',
    severity: 'ticket',
    summary: 'A message of kind {{ $labels.kind }} has waited for {{ $value | humanizeDuration }}',
    meaning: 'Mails or messages to other carriers are refused or not taken, and are tried again and again.',
    action: 'The event delivery_failed has the answer of the mail server (OFFHOOK_SMTP_URL) or of the carrier.',
  },
  OffhookDeadLetters: {
    expr: 'sum by (kind) (increase(offhook_dead_letters_total[1h])) > 0',
    severity: 'ticket',
    summary: '{{ $value | humanize }} of kind {{ $labels.kind }} were given up within an hour',
    meaning: 'All attempts failed, for hours; nobody was told.',
    action: 'Console, Operator, Dead letters: the last error says why. When the cause is gone, send them again.',
  },
  OffhookJobsLate: {
    expr: 'max(offhook_jobs_overdue_seconds) > 300',
    for: '5m',
    severity: 'ticket',
    summary: 'A job is {{ $value | humanizeDuration }} late',
    meaning: 'Expiries, clean-ups, faxes or SMS are not done in time.',
    action: 'offhook_jobs_pending says of which kind there are many; job_failed in the log says why they fail.',
  },
  OffhookJournalWaits: {
    expr: 'offhook_journal_entries > 0 and on (instance) offhook_store_up == 1',
    for: '10m',
    severity: 'page',
    summary: '{{ $value }} ends of calls wait on the disk of {{ $labels.instance }}, though the database is back',
    meaning: 'They are not paid and not in the history. The journal has room for 10,000.',
    action: 'The event journal_failed says what the database objects to. Keep the file waiting-….journal.',
  },
}
