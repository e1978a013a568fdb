import type { LogEvent } from './log-event.ts'

const nothing = 'None.'
const report = 'Report it with the stack in `err`.'

/** The process, its database, background work and HTTP API. */
export const processEvents = {
  machine_examined: {
    level: 'info',
    text: 'what this machine has, and so how audio, faxes, documents and speech are done',
    action: 'None. `npx offhook doctor` says what is missing and what that means.',
  },
  database_disk_full: {
    level: 'error',
    text: 'the disk of the database is full: nothing can be stored',
    action: 'Make room on the disk; the service goes on by itself.',
  },
  database_disk_writable: { level: 'info', text: 'the disk of the database has room again', action: nothing },
  files_store_unavailable: {
    level: 'error',
    text: 'recordings and faxes cannot be brought to their store; they stay on this machine and it is tried again',
    action: '`why` says what is wrong. `offhook doctor` checks it again.',
  },
  files_store_available: { level: 'info', text: 'recordings and faxes are brought to their store again', action: nothing },
  recording_not_erased: {
    level: 'warn',
    text: 'a recording that was erased at another node could not be erased in this data folder; it is tried again daily',
    action: '`err` says why: check the data folder and its disk.',
  },
  database_connection_lost: {
    level: 'warn',
    text: 'a connection to the database was lost; another one is opened',
    action: 'If it persists, check PostgreSQL and the network.',
  },
  erasures_repeated: {
    level: 'warn',
    text: 'the database was restored: persons and accounts that were erased after the backup have been erased again',
    action: 'Nothing.',
  },
  erasures_unknown: {
    level: 'error',
    text: 'the shared store of files does not answer: erasures that only it has noted are not repeated',
    action: 'If the database was restored from a backup, restart the service when the store is back.',
  },
  erasure_not_rewritten: {
    level: 'warn',
    text: 'the database is too large, or too busy, to be rewritten beside calls: rows of an erased person are gone, but bytes of them may remain in unused parts of its files',
    action: 'Rewrite it in a quiet hour. SQLite: stop the service, `sqlite3 offhook.db vacuum`. PostgreSQL: `vacuum full`.',
  },
  erasure_remains: {
    level: 'error',
    text: 'a process could not empty its caches or files after an erasure',
    action: 'Restart the process: it removes what is left when it starts.',
  },
  database_away: {
    level: 'error',
    text: 'the database does not answer: calls inside the house and to known numbers go on for five minutes, everything else is refused with Retry-After',
    action: 'Check PostgreSQL and the network; the service goes on by itself when it is back.',
  },
  database_pool_too_large: {
    level: 'warn',
    text: 'all processes together may open more connections than PostgreSQL allows',
    action: 'Raise max_connections of PostgreSQL, lower OFFHOOK_DB_POOL, or put PgBouncer in transaction mode in between.',
  },
  database_clock_differs: {
    level: 'warn',
    text: 'the clock of this machine and that of the database differ by more than a second',
    action: 'Check the time service (NTP) of both machines.',
  },
  journal_failed: {
    level: 'error',
    text: 'of what waited for the database while it was away, something could not be kept or written',
    action: 'Check the disk of the data folder. If an entry cannot be read after a crash, only the last one is lost.',
  },
  database_back: { level: 'info', text: 'the database answers again', action: nothing },
  instance_not_noted: {
    level: 'warn',
    text: 'commands on this machine cannot find this process: instance.json in its data folder could not be written',
    action: 'Give the process a data folder that it may write (`OFFHOOK_DATA`), or tell commands where it is with `--url`.',
  },
  certificate_renewed: {
    level: 'info',
    text: 'the files of a certificate have changed: new connections see the new one, those that are open stay',
    action: nothing,
  },
  certificate_not_renewed: {
    level: 'error',
    text: 'the files of a certificate have changed, but cannot be used; the one before stays in use, and they are looked at again',
    action: '`why` says what is wrong. If it is still so after a minute, put certificate and key there that belong together.',
  },
  certificate_expires: {
    level: 'warn',
    text: 'a certificate ends soon',
    action: 'Renew it: new files are read by themselves. `days` are left. `offhook doctor` says which files and names it has.',
  },
  certificate_expired: {
    level: 'error',
    text: 'a certificate has ended: phones and browsers refuse it',
    action: 'Renew it: new files are read by themselves.',
  },
  traces_unavailable: {
    level: 'warn',
    text: 'the collector does not take the traces of calls; a few thousand spans are kept for it, the rest is dropped and counted',
    action: '`why` says what it answered. Check `OTEL_EXPORTER_OTLP_ENDPOINT` and its headers; calls are not affected.',
  },
  traces_available: { level: 'info', text: 'the collector takes the traces of calls again', action: nothing },
  traces_protocol: {
    level: 'warn',
    text: 'traces are sent as http/json, though OTEL_EXPORTER_OTLP_PROTOCOL says something else',
    action: 'Point `OTEL_EXPORTER_OTLP_ENDPOINT` at the HTTP port of the collector, usually 4318.',
  },
  bus_connected: { level: 'info', text: 'the other processes of this installation can be reached', action: nothing },
  bus_away: {
    level: 'warn',
    text: 'the servers of the bus cannot be reached: calls go on, but commands do not reach calls of other processes',
    action: 'Check `OFFHOOK_BUS`, NATS and the network. The service tries on by itself.',
  },
  bus_missing: {
    level: 'error',
    text: 'other processes work on this database, but there is no bus: they know nothing of the calls of this one',
    action: 'Set `OFFHOOK_BUS` in all of them.',
  },
  bus_disbelieved: {
    level: 'warn',
    text: 'something was said on the bus that no process of this installation said just now; it is ignored, and further ones are only counted',
    action:
      'Check that all processes have the same `OFFHOOK_SECRET_KEY`, that their clocks are right, and who else gets at the NATS server.',
  },
  neighbour_unreachable: {
    level: 'warn',
    text: 'another process is heard on the bus, but does not answer at its address: should it die, its calls are noticed only when its lease ends',
    action: 'Let the processes reach each other at the address of `OFFHOOK_HTTP`.',
  },
  neighbour_gone: {
    level: 'error',
    text: 'another process is dead or stands still: it is neither heard nor does it answer',
    action: 'See what became of it.',
  },
  node_stood_still: {
    level: 'warn',
    text: 'this process stood still for a moment',
    action: 'If it happens again, look for what takes the processor or the memory of this machine.',
  },
  main_thread_stuck: {
    level: 'error',
    text: 'the main thread did not turn for ten seconds; the service is restarted in the same process',
    action: 'Report it with the stack. If it happens again, the restart is delayed by up to a minute.',
  },
  node_silent: {
    level: 'warn',
    text: 'this process sends nothing to phones and endpoints until it knows that its calls are still its own',
    action:
      '`contact`: it stood still, or the bus and other processes do not hear it. `lease`: it cannot reach the database, but others can. Check the network of this machine.',
  },
  node_audible: { level: 'info', text: 'this process sends to phones and endpoints again', action: nothing },
  bus_failed: { level: 'error', text: 'something that came over the bus could not be handled', action: report },
  heap_near_limit: {
    level: 'error',
    text: 'a thread needs more than four fifths of the memory it may have',
    action: 'Raise `OFFHOOK_HEAP_MB`.',
  },
  heap_below_limit: { level: 'info', text: 'a thread has enough memory again', action: nothing },
  clock_changed: {
    level: 'warn',
    text: 'the clock of this machine was changed',
    action: 'If that was not you, check the time synchronisation of the machine.',
  },
  registrations_not_moved: {
    level: 'error',
    text: 'the clock was changed, and registrations could not follow: phones may seem to be gone until they register again',
    action: 'Check the database.',
  },
  node_draining: { level: 'info', text: 'no new calls are accepted', action: nothing },
  node_accepting: { level: 'info', text: 'new calls are accepted', action: nothing },
  node_heartbeat_failed: {
    level: 'error',
    text: 'this process could not report that it is alive',
    action: 'Check the database: after a while other processes end the calls of this one.',
  },
  sandbox_active: {
    level: 'warn',
    text: 'this is a sandbox: its time can be put forward',
    action: 'Never use it for real customers; `OFFHOOK_SANDBOX=off` is the default.',
  },
  sandbox_clock_failed: { level: 'error', text: 'the time of the sandbox could not be read', action: 'Check the database.' },
  service_manager_unreachable: {
    level: 'error',
    text: 'the service manager waits for signs of life (NOTIFY_SOCKET), but gets none: it will end this process',
    action: 'Install the package koffi, as npm does unless it is told to leave out optional dependencies, or set `Type=exec` in the unit.',
  },
  job_failed: { level: 'error', text: 'a job failed; it is tried again', action: report },
  job_parked: {
    level: 'error',
    text: 'a job was parked: the process died each time in the middle of it',
    action: 'Report it with `kind`. `GET /operator/v1/jobs` lists parked jobs; `POST /operator/v1/jobs/{id}/revival` tries one again.',
  },
  delivery_failed: {
    level: 'warn',
    text: 'a message to the outside could not be delivered; it is tried again',
    action: 'If it persists, `GET /operator/v1/outbox` shows what was given up and why.',
  },
  delivery_log_failed: {
    level: 'error',
    text: 'the delivery of an event could not be logged',
    action: 'Check the database. The event itself was delivered.',
  },
  listener_lookup_failed: {
    level: 'error',
    text: 'another process could not be asked for the listener of a flow',
    action: report,
  },
  agent_ended: {
    level: 'error',
    text: 'what runs the assistants ended by itself and is started again; calls go on',
    action: 'Nothing if it happens once; else report it with what `err` says.',
  },
  agent_wish_failed: { level: 'error', text: 'something that an assistant wanted could not be done', action: report },
  mail_written_to_file: {
    level: 'info',
    text: 'no mail server is set: a mail was written to a file',
    action: 'Set `OFFHOOK_SMTP_URL` and `OFFHOOK_MAIL_FROM`.',
  },
  operation_failed: { level: 'error', text: 'an operation of the REST interface failed', action: report },
  identity_provider_failed: { level: 'error', text: 'the identity provider failed', action: report },
  sign_on_rejected: {
    level: 'info',
    text: 'a login through an identity provider was rejected',
    action: 'None, if it was one person; else `reason` says what its administrator must correct.',
  },
  login_page_failed: { level: 'error', text: 'a page of the login failed', action: report },
  mcp_request_failed: {
    level: 'info',
    text: 'a request of the Model Context Protocol was refused or failed',
    action: 'None, if its client works; else `err` says what it sent.',
  },
  websocket_failed: { level: 'error', text: 'a WebSocket could not be opened', action: report },
  http_server_notice: { level: 'info', text: 'notice of the HTTP server', action: 'None; `detail` holds its words.' },
  http_server_warning: { level: 'warn', text: 'warning of the HTTP server', action: 'Report it with what `detail` and `err` say.' },
  http_server_fault: { level: 'error', text: 'fault of the HTTP server', action: 'Report it with what `detail` and `err` say.' },
} as const satisfies Record<string, LogEvent>
