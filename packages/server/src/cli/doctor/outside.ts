import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { addressRules } from '#adapters/address-rules.ts'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { broken, suspect, fine, type Check, type Finding } from './finding.ts'

const timeoutMs = 4_000

/** Every address outside that a setting names can be reached. Nothing else is asked: an installation may well be on its own. */
export const checkWaysOut: Check = async ({ settings }) => {
  const named: [string, string | undefined][] = [
    ['OFFHOOK_SMTP_URL', settings.OFFHOOK_SMTP_URL],
    ['OFFHOOK_OPENAI_URL', settings.OFFHOOK_OPENAI_URL ?? (settings.OFFHOOK_OPENAI_KEY && 'https://api.openai.com')],
    ['OFFHOOK_OPENAI_TTS_URL', settings.OFFHOOK_OPENAI_TTS_URL],
    ['OFFHOOK_DEEPGRAM_KEY', settings.OFFHOOK_DEEPGRAM_KEY && 'https://api.deepgram.com'],
    ['OFFHOOK_ELEVENLABS_KEY', settings.OFFHOOK_ELEVENLABS_KEY && 'https://api.elevenlabs.io'],
  ]
  const findings = await Promise.all(named.flatMap(([name, url]) => (url ? [reach(name, new URL(url))] : [])))
  const allowed = settings.OFFHOOK_EGRESS_ALLOW
  const says = allowed.length === 0 ? 'endpoints at public addresses only' : `besides public addresses: ${allowed.join(', ')}`
  return [fine('ways out', says), ...findings]
}

const defaultPorts: Record<string, number> = { 'https:': 443, 'http:': 80, 'smtp:': 587, 'smtps:': 465 }

const reach = async (name: string, { protocol, hostname, port }: URL): Promise<Finding> => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({ host, port: Number(port || defaultPorts[protocol]) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) })
    return fine(host, `can be reached (${name})`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return broken(host, `cannot be reached (${name}): ${code ?? message}`, 'Is the address right? Does a firewall let it through?')
  } finally {
    socket.destroy()
  }
}

/** As the service would ask it, with the same rules for addresses. */
export const checkEndpoint: Check = async ({ endpoint, settings }) => {
  if (endpoint === undefined) return []
  const { hostname, host, port, protocol } = new URL(endpoint)
  const name = hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = await lookup(name, { all: true }).catch(() => [])
  if (addresses.length === 0) return [broken(host, 'has no address', 'Is it spelt right? Does DNS work here?')]
  const rules = addressRules(settings.OFFHOOK_EGRESS_ALLOW)
  const asked = Number(port) || (protocol === 'https:' ? 443 : 80)
  if (!rules.allowsName(name, asked) && !addresses.every(({ address }) => rules.allowsAddress(address, asked))) return [notAllowed(host)]
  const outbound = outboundHttp({ allow: settings.OFFHOOK_EGRESS_ALLOW })
  try {
    const { status } = await outbound.request({ url: endpoint, method: 'POST', body: '{}', deadlineMs: timeoutMs, maxBytes: 100_000 })
    return [fine(host, `answers ${status}`)]
  } catch (error) {
    return [broken(host, (error as Error).message, 'Is your endpoint running?')]
  } finally {
    await outbound.close()
  }
}

const notAllowed = (host: string): Finding =>
  suspect(
    host,
    'the service may not call it: the address is not public and not on the list of exceptions',
    `OFFHOOK_EGRESS_ALLOW=${host}, or use offhook dev or listen, which need no permission.`,
  )
