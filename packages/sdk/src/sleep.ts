/** Until then, or until the signal comes. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const wake = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      done()
    }
    const timer = setTimeout(wake, ms)
    if (signal?.aborted) wake()
    else signal?.addEventListener('abort', wake)
  })
