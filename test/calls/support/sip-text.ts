import { createHash, randomBytes } from 'node:crypto'

/** SIP message as far as a plain telephone needs it. Independent of the service's parser. */
export interface SipText {
  /** The first line. */
  start: string
  /** 0 for requests. */
  status: number
  method: string
  headers: readonly (readonly [name: string, value: string])[]
  body: string
}

export interface Draft {
  method: string
  uri: string
  from: string
  to: string
  callId: string
  cseq: number
  body?: string
  headers?: readonly (readonly [string, string])[]
}

/** Transport for the messages of calls. */
export interface SipWire {
  /** Resolves with the final response; `provisional` gets the others. */
  ask(draft: Draft, provisional?: (response: SipText) => void): Promise<SipText>
  /** A CANCEL uses the branch of the request that it cancels. */
  cancel(callId: string): void
  /** Kept in case the 2xx is retransmitted. */
  acknowledge(response: SipText, draft: Draft): void
  /** `tag` is the local tag. */
  reply(request: SipText, status: number, options?: { tag?: string; body?: string }): void
}

export const token = (): string => randomBytes(8).toString('hex')

const shortNames: Record<string, string> = {
  v: 'via',
  f: 'from',
  t: 'to',
  i: 'call-id',
  m: 'contact',
  l: 'content-length',
  c: 'content-type',
}

export const readSip = (text: string): SipText => {
  const end = text.indexOf('\r\n\r\n')
  const [start = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    return [shortNames[name] ?? name, line.slice(colon + 1).trim()] as const
  })
  const status = start.startsWith('SIP/2.0 ') ? Number(start.slice(8, 11)) : 0
  const message = { start, status, method: '', headers, body: text.slice(end + 4) }
  return { ...message, method: header(message, 'cseq').split(' ')[1] ?? '' }
}

export const header = ({ headers }: Pick<SipText, 'headers'>, name: string): string => headers.find(([one]) => one === name)?.[1] ?? ''

export const writeSip = (start: string, headers: readonly (readonly [string, string])[], body = ''): string =>
  [
    start,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')

export const branchOf = (via: string): string => /;branch=([^;\s]+)/.exec(via)?.[1] ?? ''
export const uriOf = (value: string): string => /<([^>]+)>/.exec(value)?.[1] ?? value.split(';')[0] ?? ''
export const userOf = (uri: string): string => decodeURIComponent(/^sips?:([^@;]+)@/.exec(uri)?.[1] ?? '')

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

export interface Login {
  user: string
  password: string
}

/** Digest with MD5 (RFC 2617), which every phone supports. */
export const authorization = (challenge: string, { user, password }: Login, method: string, uri: string): string => {
  const field = (name: string): string => new RegExp(`\\b${name}="?([^",]+)"?`).exec(challenge)?.[1] ?? ''
  const [realm, nonce, qop] = [field('realm'), field('nonce'), field('qop').split(' ')[0] ?? '']
  const [secret, asked] = [md5(`${user}:${realm}:${password}`), md5(`${method}:${uri}`)]
  const [nc, cnonce] = ['00000001', md5(nonce + method).slice(0, 16)]
  const response = qop === '' ? md5(`${secret}:${nonce}:${asked}`) : md5(`${secret}:${nonce}:${nc}:${cnonce}:${qop}:${asked}`)
  const fields = [`username="${user}"`, `realm="${realm}"`, `nonce="${nonce}"`, `uri="${uri}"`, `response="${response}"`, 'algorithm=MD5']
  return `Digest ${[...fields, ...(qop === '' ? [] : [`qop=${qop}`, `nc=${nc}`, `cnonce="${cnonce}"`])].join(', ')}`
}
