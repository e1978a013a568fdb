import { isIPv4 } from 'node:net'

/** Servers of the bus, all equivalent, and the login. */
export interface BusServers {
  /** host:port */
  servers: string[]
  secure: boolean
  login: { user: string; pass: string } | { token: string } | undefined
}

const usualPort = 4222
const wanted = 'must be addresses such as tls://user:password@host:4222, separated by commas (in a password: %40 for @, %2C for a comma)'

/**
 * `tls://user:password@a:4222,tls://b`: one login, with the first. Plain `nats://` is only allowed on this machine: messages control calls.
 */
export const readBusServers = (text: string): BusServers => {
  const urls = text.split(',').map((one) => parse(one.trim()))
  const secure = urls.map(({ protocol }) => protocol === 'tls:')
  if (new Set(secure).size > 1) throw new Error('must have tls:// for all servers or for none')
  const exposed = urls.find((url) => url.protocol === 'nats:' && !isLoopback(host(url)))
  if (exposed) throw new Error(`must begin with tls:// for ${host(exposed)}: nats:// is not protected and may only stay on this machine`)
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port === '' ? usualPort : url.port}`),
    secure: secure[0] ?? false,
    login: urls.map(login).find((one) => one !== undefined),
  }
}

const parse = (text: string): URL => {
  const url = URL.canParse(text) && !/%(?![0-9a-f]{2})/i.test(text) ? new URL(text) : undefined
  if (!url || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search !== '')
    throw new Error(wanted)
  return url
}

const login = ({ username, password }: URL): BusServers['login'] => {
  if (username === '') return undefined
  const user = decodeURIComponent(username)
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) }
}

const host = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

const isLoopback = (name: string): boolean => name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
