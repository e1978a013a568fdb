import { Problem } from '@offhook/contract/problem.ts'
import ipaddr from 'ipaddr.js'
import type { PasskeySite } from '#core/kernel/ports/account.ts'

/** Passkeys are bound to a host name and require a secure context. */
export const passkeySite = (url: string): PasskeySite | undefined => {
  const { protocol, hostname, origin } = new URL(url)
  const here = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = ipaddr.isValid(hostname.replace(/^\[(.*)\]$/, '$1'))
  return !isAddress && (here || protocol === 'https:') ? { name: hostname, origin } : undefined
}

export const requirePasskeySite = (url: string): PasskeySite => {
  const site = passkeySite(url)
  if (!site) throw new Problem('passkeys_not_here')
  return site
}
