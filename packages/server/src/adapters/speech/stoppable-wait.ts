/** Waits until the promise resolves or the signal is aborted; then it throws the signal's reason. */
export const stoppableWait = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([stopped, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
