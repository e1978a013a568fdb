const oncePerMs = 10_000
const noted = 'offhook.reloaded'

/**
 * After an update of the service the files that an open page would load next are gone. A reload gets the new ones; if that does not help,
 * the page shows an error. Does not reload from an unreachable service: everything would be lost.
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
