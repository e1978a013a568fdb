import { hash } from 'node:crypto'

/** RFC 8760: from weak to strong. */
export const digestAlgorithms = ['MD5', 'SHA-256', 'SHA-512-256'] as const
export type DigestAlgorithm = (typeof digestAlgorithms)[number]

const hashNames: Readonly<Record<DigestAlgorithm, string>> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' }

const digest = (algorithm: DigestAlgorithm, text: string): string => hash(hashNames[algorithm], text, 'hex')

/** The algorithm that a header names, if we know it. Without a name it is MD5. */
export const readAlgorithm = (name: string | undefined): { algorithm: DigestAlgorithm; session: boolean } | undefined => {
  const upper = (name ?? 'MD5').toUpperCase()
  const session = upper.endsWith('-SESS')
  const algorithm = digestAlgorithms.find((each) => each === (session ? upper.slice(0, -5) : upper))
  return algorithm === undefined ? undefined : { algorithm, session }
}

/** What a server may keep instead of the password; good for this realm only. */
export const digestHa1 = (algorithm: DigestAlgorithm, username: string, realm: string, password: string): string =>
  digest(algorithm, `${username}:${realm}:${password}`)

export interface DigestParts {
  algorithm: DigestAlgorithm
  /** A `-sess` algorithm. */
  session: boolean
  ha1: string
  method: string
  uri: string
  nonce: string
  /** Undefined: as before RFC 2617, without qop. */
  nc: string | undefined
  cnonce: string
}

/** RFC 7616 §3.4.1, with qop=auth. */
export const digestResponse = (deps: DigestParts): string => {
  const { algorithm, nonce, nc, cnonce } = deps
  const ha1 = deps.session ? digest(algorithm, `${deps.ha1}:${nonce}:${cnonce}`) : deps.ha1
  const ha2 = digest(algorithm, `${deps.method}:${deps.uri}`)
  return digest(algorithm, nc === undefined ? `${ha1}:${nonce}:${ha2}` : `${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`)
}
