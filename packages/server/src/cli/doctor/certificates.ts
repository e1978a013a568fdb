import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { connect, rootCertificates } from 'node:tls'
import type { Settings } from '#settings/config.ts'
import { broken, suspect, fine, type Check, type Finding, type DoctorContext } from './finding.ts'

const dayMs = 86_400_000
const soonDays = 21
const answerTimeoutMs = 3_000

/** TLS files: validity, names and expiry; and whether the running service uses them. */
export const checkCertificates: Check = async (context) => {
  const { OFFHOOK_TLS_CERT: cert, OFFHOOK_TLS_KEY: key, OFFHOOK_BUS_CERT: busCert, OFFHOOK_BUS_KEY: busKey } = context.settings
  const findings: Finding[] = []
  if (cert !== undefined && key !== undefined) {
    const chain = await readChain(cert)
    findings.push(await keyFits(chain, key), ...judge('certificate', chain), ...names(chain, context.settings))
    findings.push(...(await shown(chain, context)))
  }
  if (busCert !== undefined && busKey !== undefined) {
    const chain = await readChain(busCert)
    findings.push(...[await keyFits(chain, busKey), ends('bus certificate', chain)].filter(({ state }) => state !== 'fine'))
  }
  return [...findings, ...withHttps(context.settings)]
}

interface Chain {
  file: string
  leaf: X509Certificate
  all: X509Certificate[]
}

const readChain = async (file: string): Promise<Chain> => {
  const pem = await readFile(file, 'utf8').catch((error: Error) =>
    Promise.reject(new Error(`the certificate cannot be read: ${error.message}`)),
  )
  const all = (pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? []).map((one) => new X509Certificate(one))
  const [leaf] = all
  if (!leaf) throw new Error(`there is no certificate in ${file}`)
  return { file, leaf, all }
}

const keyFits = async ({ file, leaf }: Chain, keyFile: string): Promise<Finding> => {
  const about = 'certificate key'
  const pem = await readFile(keyFile, 'utf8').catch((error: Error) => error)
  if (pem instanceof Error) return broken(about, `${keyFile} cannot be read: ${pem.message}`, 'Let the user of the service read it.')
  try {
    if (leaf.checkPrivateKey(createPrivateKey(pem))) return fine(about, `${keyFile} belongs to ${file}`)
  } catch (error) {
    return broken(about, `${keyFile} is no private key in PEM without a passphrase: ${(error as Error).message}`, 'Put another file there.')
  }
  return broken(
    about,
    `${keyFile} does not belong to ${file}`,
    'Put files there that were made together; a running service keeps its last good ones.',
  )
}

const judge = (about: string, chain: Chain): Finding[] => [ends(about, chain), complete(chain)]

const ends = (about: string, { leaf }: Chain): Finding => {
  const days = Math.floor((leaf.validToDate.getTime() - Date.now()) / dayMs)
  const says = `${leaf.subjectAltName ?? leaf.subject} until ${leaf.validToDate.toISOString().slice(0, 10)}`
  if (leaf.validFromDate.getTime() > Date.now()) return broken(about, `${says}: it is not valid yet`, 'Is the clock of this machine right?')
  if (days < 0) return broken(about, `${says}: it has expired`, 'Renew it; new files are read by themselves.')
  return days < soonDays
    ? suspect(about, `${says}: ${days} days are left`, 'Does what renews it still run? New files are read by themselves.')
    : fine(about, `${says}, ${days} days are left`)
}

/** Clients know roots, not intermediates: those must be in the file. */
const complete = ({ leaf, all, file }: Chain): Finding => {
  const about = 'certificate chain'
  if (isSigned(leaf, leaf)) return suspect(about, 'it signs itself', 'Phones and browsers have to be told to trust it.')
  const gap = all.slice(0, -1).findIndex((one, index) => !isSigned(one, all[index + 1] ?? one))
  if (gap !== -1)
    return broken(
      about,
      `certificate ${gap + 2} in ${file} did not sign the one before it`,
      'Put ours first, then those that lead to the root.',
    )
  const last = all.at(-1) ?? leaf
  if (isSigned(last, last) || rootCertificates.some((pem) => isSigned(last, new X509Certificate(pem))))
    return fine(about, `${all.length} in the file, up to a root`)
  return suspect(
    about,
    `${file} ends before a root that Node knows: ${last.issuer.replaceAll('\n', ', ')}`,
    'If it is no root of your own, use the file with the whole chain (certbot: fullchain.pem).',
  )
}

const isSigned = (one: X509Certificate, by: X509Certificate): boolean => one.checkIssued(by) && one.verify(by.publicKey)

/** Only for our own servers: a proxy in front has its own certificate. */
const names = ({ leaf }: Chain, settings: Settings): Finding[] => {
  const { OFFHOOK_HTTPS: https, OFFHOOK_SIP_TLS: sipTls, OFFHOOK_SIP_WS: sipWs, OFFHOOK_PUBLIC_URL: url } = settings
  const wanted: [string, string | undefined][] = [
    ['OFFHOOK_PUBLIC_URL', https && url ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : undefined],
    ['OFFHOOK_SIP_DOMAIN', sipTls || sipWs ? settings.OFFHOOK_SIP_DOMAIN?.host : undefined],
    ['OFFHOOK_PUBLIC_ADDRESS', (sipTls || sipWs) && !settings.OFFHOOK_SIP_DOMAIN ? settings.OFFHOOK_PUBLIC_ADDRESS : undefined],
  ]
  return wanted.flatMap(([setting, name]) => {
    if (name === undefined) return []
    const isGood = isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)
    if (isGood !== undefined) return []
    return [
      broken('certificate name', `it is not for ${name} (${setting})`, `Get one for ${name}, or set ${setting} to a name that it has.`),
    ]
  })
}

const secured = ['https', 'sipTls', 'sipWss', 'smpps'] as const

/** Compares the certificate shown to clients with the file. */
const shown = async ({ leaf, file }: Chain, { instance }: DoctorContext): Promise<Finding[]> => {
  if (instance?.state !== 'running') return []
  const { addresses, pid } = instance.notes
  const findings: Finding[] = []
  for (const kind of secured) {
    const address = addresses[kind]
    if (address === undefined) continue
    const fingerprint = await fingerprintAt(address.replace('https://', '')).catch((error: Error) => error)
    const about = `TLS ${address.replace(/^.*:/, '')}`
    if (fingerprint instanceof Error)
      findings.push(broken(about, `nothing is shown at ${address}: ${fingerprint.message}`, 'See the log of the service.'))
    else if (fingerprint === leaf.fingerprint256) findings.push(fine(about, `${address} shows the certificate of the file`))
    else
      findings.push(
        broken(
          about,
          `${address} shows another certificate than ${file}`,
          `kill -HUP ${pid} reads it now; the log says certificate_not_renewed if it does not fit.`,
        ),
      )
  }
  return findings
}

const fingerprintAt = async (address: string): Promise<string> => {
  const { hostname, port } = new URL(`https://${address}`)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // The certificate is inspected, not trusted.
  const socket = connect({ host: host === '0.0.0.0' ? '127.0.0.1' : host, port: Number(port || 443), rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(answerTimeoutMs) })
    return socket.getPeerCertificate().fingerprint256
  } finally {
    socket.destroy()
  }
}

/** Common mistakes with our own HTTPS. */
const withHttps = ({ OFFHOOK_HTTPS: https, OFFHOOK_PUBLIC_URL: url, OFFHOOK_TRUST_PROXY: trusts }: Settings): Finding[] => [
  ...(https && !url?.startsWith('https:')
    ? [
        suspect(
          'public address',
          'OFFHOOK_HTTPS is set, but links in mails and logins do not lead there',
          'Set OFFHOOK_PUBLIC_URL to its https address.',
        ),
      ]
    : []),
  ...(https && trusts
    ? [
        suspect(
          'proxy',
          'whoever comes to OFFHOOK_HTTPS without a proxy can claim any address',
          'Set OFFHOOK_TRUST_PROXY=off, or let only the proxy reach it.',
        ),
      ]
    : []),
]
