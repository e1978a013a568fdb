import type { FastifyBaseLogger } from 'fastify'
import type { Log, LogEventCode } from '#log/log-events.ts'

type Write = FastifyBaseLogger['info']

const ignore: Write = () => {}

/** What Fastify logs by itself. Requests and replies among its fields are left out: addresses hold phone numbers and reset links. */
export const fastifyLog = (log: Log): FastifyBaseLogger => {
  const write =
    (event: LogEventCode): Write =>
    (about: unknown, text?: string): void => {
      const detail = typeof about === 'string' ? about : text
      const err = about instanceof Error ? about : (about as { err?: unknown } | undefined)?.err
      log(event, { ...(detail !== undefined && { detail }), ...(err !== undefined && { err }) })
    }
  const logger: FastifyBaseLogger = {
    level: 'info',
    silent: ignore,
    trace: ignore,
    debug: ignore,
    info: write('http_server_notice'),
    warn: write('http_server_warning'),
    error: write('http_server_fault'),
    fatal: write('http_server_fault'),
    child: () => logger, // log lines name their operation; a logger for each request would cost every request
  }
  return logger
}
