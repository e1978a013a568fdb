import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

/** Third-party programs or files, and their Debian packages. */
const packages = {
  sipp: 'sip-tester',
  ip: 'iproute2',
  baresip: 'baresip-core',
  kamailio: 'kamailio',
  'websocket.so': 'kamailio-websocket-modules',
  'outbound.so': 'kamailio-outbound-modules',
  'tls.so': 'kamailio-tls-modules',
  haproxy: 'haproxy',
  keepalived: 'keepalived',
  patroni: 'patroni',
  etcd: 'etcd-server',
  curl: 'curl',
  jq: 'jq',
  khal: 'khal',
  openssl: 'openssl',
  'nats-server': 'nats-server',
  sipsak: 'sipsak',
  bearerbox: 'kannel',
  smsbox: 'kannel',
  rtpengine: 'rtpengine-daemon',
  svmap: 'sipvicious',
  svwar: 'sipvicious',
  svcrack: 'sipvicious',
  chromium: 'chromium',
  'espeak-ng': 'espeak-ng',
  efax: 'efax',
  socat: 'socat',
  'systemd-analyze': 'systemd',
  podman: 'podman',
  caddy: 'caddy',
  'docker-compose': 'docker-compose',
  kubectl: 'kubernetes-client',
  buildah: 'buildah',
  runc: 'runc',
  mmdebstrap: 'mmdebstrap',
  oathtool: 'oathtool',
  pgbouncer: 'pgbouncer',
  pg_dump: 'postgresql',
  rsyslogd: 'rsyslog',
  '/usr/lib/x86_64-linux-gnu/rsyslog/lmnsd_ossl.so': 'rsyslog-openssl',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  amtool: 'prometheus-alertmanager',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  'swift-proxy-server': 'swift-proxy',
  'swift-account-server': 'swift-account',
  'swift-container-server': 'swift-container',
  'swift-object-server': 'swift-object',
  '/usr/lib/python3/dist-packages/websockets/__init__.py': 'python3-websockets',
  mypy: 'mypy',
  tiffcp: 'libtiff-tools',
  pdfimages: 'poppler-utils',
  pdftoppm: 'poppler-utils',
  'libspandsp.so.2': 'libspandsp2',
  '/usr/share/asterisk/sounds/en_US_f_Allison/vm-goodbye.wav': 'asterisk-core-sounds-en-wav',
  '/usr/share/asterisk/sounds/fr_CA_f_June/conf-onlyone.wav': 'asterisk-core-sounds-fr-wav',
  '/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz': 'asterisk-core-sounds-en',
} as const

/** Programs that no Debian package contains: their tests are skipped where nobody built them. */
const builtBy = { pjsua: 'test/support/peers/build-pjsua.sh' } as const

export type Program = keyof typeof packages | keyof typeof builtBy

const run = promisify(execFile)
const installer = join(import.meta.dirname, 'install.sh')
const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']

const libraries = ['/usr/lib/aarch64-linux-gnu', '/usr/lib/x86_64-linux-gnu']

/**
 * Makes sure that the programs are installed. Returns false and skips the test if they are missing and cannot be installed, which needs root and
 * Debian. In CI (`CI=true`) a missing program is a failure, except one that no package contains.
 */
export const needs = async (t: TestContext, ...programs: Program[]): Promise<boolean> => {
  for (const program of await absent(programs))
    if (program in builtBy) {
      t.skip(`skipped, ${program} is not there: ${builtBy[program as keyof typeof builtBy]} builds it`)
      return false
    }
  let missing = await absent(programs.filter(isPackaged))
  if (missing.length > 0 && (await canInstall())) {
    await run(installer, [...new Set(missing.map((program) => packages[program]))]).catch((error: Error) => t.diagnostic(error.message))
    missing = await absent(missing)
  }
  if (missing.length === 0) return true
  const wanted = missing.map((program) => `${program} (Debian: ${packages[program]})`).join(', ')
  if (process.env.CI === 'true') throw new Error(`not installed: ${wanted}`)
  t.skip(`skipped, not installed: ${wanted}`)
  return false
}

type Packaged = keyof typeof packages

const isPackaged = (program: Program): program is Packaged => program in packages

const absent = async <P extends Program>(programs: P[]): Promise<P[]> => {
  const found = await Promise.all(programs.map(isInstalled))
  return programs.filter((_, index) => !found[index])
}

const isInstalled = async (program: string): Promise<boolean> => {
  if (program.startsWith('/')) return isThere(program, constants.R_OK)
  if (program.includes('.so')) {
    const folder = program.endsWith('.so') ? 'kamailio/modules' : ''
    return (await Promise.all(libraries.map((place) => isThere(join(place, folder, program), constants.R_OK)))).includes(true)
  }
  const tries = await Promise.all(places.map((place) => isThere(join(place, program), constants.X_OK)))
  return tries.includes(true)
}

const canInstall = async (): Promise<boolean> => process.getuid?.() === 0 && (await isInstalled('apt-get')) && (await isInstalled('flock'))

const isThere = async (file: string, mode: number): Promise<boolean> =>
  access(file, mode).then(
    () => true,
    () => false,
  )
