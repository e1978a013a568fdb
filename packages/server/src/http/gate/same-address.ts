/** Pages whose links count from their slash; the service redirects to it. */
const pages = /^\/(console|docs)\//

/** A slash at the end makes no other address: `/v1/users/?a=b` is `/v1/users?a=b`. Only the index of an area has one of its own. */
export const sameAddress = (url: string): string => {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  if (path === '/v1') return `/v1/${url.slice(path.length)}`
  if (!path.endsWith('/') || path === '/' || path === '/v1/' || pages.test(path)) return url
  return path.slice(0, -1) + url.slice(path.length)
}
