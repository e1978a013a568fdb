import { Problem } from '@offhook/contract/problem.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Throws for an address that a browser must not be sent to with a code. Others are compared letter by letter when they are used. */
export const requireRedirectUris = (uris: readonly string[]): void => {
  for (const [index, uri] of uris.entries()) {
    const problem = problemOf(uri)
    if (problem) throw Problem.field(`redirectUris/${index}`, problem)
  }
}

const problemOf = (uri: string): string | undefined => {
  // Browsers and servers disagree about what these mean, so none of them may appear.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) return 'must consist of printable ASCII characters without spaces and backslashes'
  const url = URL.parse(uri)
  if (!url || !/^https?:\/\/[^/]/i.test(uri)) return 'must be a complete address such as https://example.com/callback'
  if (uri.includes('#')) return 'must not contain a fragment'
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?]*@/i.test(uri)) return 'must not contain a user name'
  if (url.protocol === 'http:' && !loopback.has(url.hostname))
    return 'must use https, or http on this machine (localhost, 127.0.0.1, [::1])'
  return undefined
}
