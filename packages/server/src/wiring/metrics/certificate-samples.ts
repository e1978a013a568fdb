import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Settings } from '#settings/config.ts'

/** When the certificates on the disk end: those are what will be served, also after they were renewed. */
export const certificateSamples = (settings: Settings) => async (): Promise<Sample[]> => {
  const { OFFHOOK_TLS_CERT: tls, OFFHOOK_BUS_CERT: bus } = settings
  const read = async (name: string, file: string | undefined): Promise<Sample[]> => {
    const pem = file && (await readFile(file).catch(() => undefined))
    return pem ? [{ name: 'offhook_certificate_expiry_timestamp_seconds', labels: { name }, value: endOf(pem) }] : []
  }
  return [...(await read('tls', tls)), ...(await read('bus', bus))]
}

/** The first in the file is ours; those that follow lead to the authority. */
const endOf = (pem: Buffer): number => new X509Certificate(pem).validToDate.getTime() / 1000
