import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Settings } from '#settings/config.ts'
import { broken, suspect, fine, type Check, type Finding } from './finding.ts'

/** Addresses without meaning outside of a network: RFC 1918, 6598 (carriers' NAT), 3927, 4193, 4291. */
const inside = new BlockList()
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const)
  inside.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  inside.addSubnet(network, bits, 'ipv6')

const isInside = (address: string): boolean => inside.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** Addresses of this machine in SDP and SIP, and whether they can be right. */
export const checkReach: Check = async ({ settings }) => [await media(settings), ...(await domains(settings))]

const about = 'NAT'

const media = async (settings: Settings): Promise<Finding> => {
  const { OFFHOOK_SIP: sip, OFFHOOK_PUBLIC_ADDRESS: published } = settings
  if (published !== undefined) return publishedFinding(published)
  if (isLoopback(sip.host)) return fine(about, `phones are reached on this machine only (${sip.host})`)
  const own = isAny(sip.host) ? ownAddresses() : [sip.host]
  const outer = own.filter((address) => !isInside(address))
  if (outer.length > 0) return fine(about, `phones are told ${outer.join(', ')}`)
  return suspect(
    about,
    `phones are told ${own.join(', ') || 'no address'}, which nobody outside of this network reaches: they would hear nothing`,
    'If carriers or phones are outside, set OFFHOOK_PUBLIC_ADDRESS to the address of your router, and forward OFFHOOK_SIP and OFFHOOK_RTP (UDP) to this machine.',
  )
}

const publishedFinding = async (published: string): Promise<Finding> => {
  const addresses = await addressesOf(published)
  if (addresses.length === 0)
    return broken(about, `OFFHOOK_PUBLIC_ADDRESS (${published}) has no address`, 'Is it spelt right? Does DNS work here?')
  const says = `audio is said to be at ${published}${isIP(published) === 0 ? ` (${addresses.join(', ')})` : ''}`
  if (addresses.every(isInside))
    return suspect(about, `${says}, which only this network reaches`, 'If carriers or phones are outside, name the address of your router.')
  const isHere = addresses.some((address) => ownAddresses().includes(address))
  return fine(
    about,
    isHere ? `${says}, an address of this machine` : `${says}, which is on no card of this machine: the router has to forward UDP`,
  )
}

const domains = async ({ OFFHOOK_SIP_DOMAIN: domain, OFFHOOK_PUBLIC_URL: url }: Settings): Promise<Finding[]> => {
  const named: [string, string | undefined][] = [
    ['OFFHOOK_SIP_DOMAIN', domain?.host],
    ['OFFHOOK_PUBLIC_URL', url && new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')],
  ]
  const findings = await Promise.all(named.flatMap(([setting, host]) => (host ? [nameFinding(setting, host)] : [])))
  return findings.flat()
}

const nameFinding = async (setting: string, host: string): Promise<Finding[]> =>
  (await addressesOf(host)).length === 0
    ? [broken('name', `${host} (${setting}) has no address`, 'Enter it in DNS, or correct the setting.')]
    : []

const addressesOf = async (host: string): Promise<string[]> =>
  isIP(host) === 0 ? (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address) : [host]

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap((card) => (card === undefined || card.internal || card.address.startsWith('fe80:') ? [] : [card.address]))
