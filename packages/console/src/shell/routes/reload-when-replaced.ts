const oncePerMs = 10_000
const noted = 'offhook.reloaded'

/**
 * After an update of the service the files that an open page would fetch next are gone. Loading it again gets the new ones; when that
 * does not help, the page says that it has failed. Nothing is reloaded from a service that does not answer: all would be lost.
 */
export const reloadWhenReplaced = (): void => {
  addEventListener('vite:preloadError', () => {
    if (Date.now() - Number(sessionStorage.getItem(noted)) < oncePerMs) return
    void fetch(location.href, { cache: 'no-store' }).then(
      ({ ok }) => {
        if (!ok) return
        sessionStorage.setItem(noted, String(Date.now()))
        location.reload()
      },
      () => undefined,
    )
  })
}
