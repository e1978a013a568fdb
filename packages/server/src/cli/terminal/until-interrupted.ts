/** Aborted by the first Ctrl-C for an orderly end; the second one ends the process. */
export const untilInterrupted = (): AbortSignal => {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort())
  return interrupted.signal
}
