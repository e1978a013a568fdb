import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { blame, CannotStart } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'

/** For everything that is served over TLS. Undefined when nothing is. */
export const readCertificate = async (settings: Settings): Promise<{ cert: string; key: string } | undefined> => {
  const { OFFHOOK_TLS_CERT: cert, OFFHOOK_TLS_KEY: key, OFFHOOK_SIP_TLS: sip, OFFHOOK_SMPP_TLS: smpp } = settings
  const needed = [sip && 'OFFHOOK_SIP_TLS', smpp && 'OFFHOOK_SMPP_TLS', cert && 'OFFHOOK_TLS_CERT', key && 'OFFHOOK_TLS_KEY'].find(
    (name) => name !== undefined,
  )
  if (needed !== undefined && (cert === undefined || key === undefined))
    throw new CannotStart(`${needed} needs both OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY.`, undefined)
  if (cert === undefined || key === undefined) return undefined
  const read = (file: string) => readFile(file, 'utf8').catch(blame(`The file ${file} for TLS`))
  const certificate = { cert: await read(cert), key: await read(key) }
  try {
    createSecureContext(certificate)
  } catch (error) {
    throw new CannotStart(`OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY cannot be used: ${(error as Error).message}`, error)
  }
  return certificate
}
