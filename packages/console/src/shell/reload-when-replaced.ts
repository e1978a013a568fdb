const oncePerMs = 10_000
const noted = 'offhook.reloaded'

/**
 * After an update of the service the files that an open page would fetch next are gone. Loading it again gets the new ones; when that
 * does not help, the page says that it has failed.
 */
export const reloadWhenReplaced = (): void => {
  addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(noted)) < oncePerMs) return
    event.preventDefault()
    sessionStorage.setItem(noted, String(Date.now()))
    location.reload()
  })
}
