import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A self-signed certificate for `localhost` and 127.0.0.1, made with `openssl`. */
export const makeCertificate = async (): Promise<{ cert: string; key: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'offhook-smpp-'))
  try {
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', '/CN=test', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '2']
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
    await promisify(execFile)('openssl', ['req', '-x509', ...key, '-out', certFile, ...subject])
    return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
  } finally {
    await rm(folder, { recursive: true })
  }
}
