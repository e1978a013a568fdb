import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder, type Scope } from './temporary-folder.ts'

export interface TestCertificate {
  cert: string
  key: string
  certFile: string
  keyFile: string
}

/** Self-signed certificate for `localhost`, the given names and loopback addresses. */
export const makeCertificate = (t: Scope, ...names: string[]): Promise<TestCertificate> =>
  certificateFor(t, [...['localhost', ...names].map((name) => `DNS:${name}`), 'IP:127.0.0.1'])

/** Self-signed certificate with exactly these subject alternative names: `DNS:localhost`, `IP:127.0.0.1`. */
export const certificateFor = async (
  t: Scope,
  alternatives: readonly string[],
  algorithm: readonly string[] = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
): Promise<TestCertificate> => {
  const folder = await temporaryFolder(t)
  const certFile = join(folder, 'cert.pem')
  const keyFile = join(folder, 'key.pem')
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${alternatives.join(',')}`, '-days', '2']
  const key = ['-newkey', ...algorithm, '-nodes', '-keyout', keyFile]
  await promisify(execFile)('openssl', ['req', '-x509', ...key, '-out', certFile, ...subject])
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8'), certFile, keyFile }
}

/** Certificate served at host:port. */
export const servedCertificate = async (address: string): Promise<string> => {
  const asked = promisify(execFile)('openssl', ['s_client', '-connect', address, '-servername', 'localhost'])
  asked.child.stdin?.end()
  const { stdout } = await asked
  return `${/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/.exec(stdout)?.[0] ?? ''}\n`
}
