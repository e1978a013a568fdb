import { execFile } from 'node:child_process'
import { cp, link, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endBeforeRemoval, temporaryFolder, type Scope } from './temporary-folder.ts'

const run = promisify(execFile)

/** Limits that a machine without the right to raise them can give. */
const limits = ['--ulimit', 'nofile=16384:16384', '--ulimit', 'nproc=4096:4096']
/** Like `debian:bookworm-slim`: no manual pages and no package lists. */
const slim = [
  ...['doc', 'man', 'locale', 'info'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
  '--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*',
  // Otherwise Perl is installed to merge /usr.
  '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
  '--include=usr-is-merged',
]
const authorities = '/etc/ssl/certs/ca-certificates.crt'

/** podman and buildah with a separate store, in a folder that is removed after the test. Needs root. */
export class Containers {
  readonly folder: string
  readonly #store: string[]

  readonly #run: string

  /** podman accepts no path of more than 50 characters for `run`. */
  private constructor(folder: string, run: string) {
    this.folder = folder
    this.#run = run
    this.#store = ['--root', join(folder, 'store'), '--runroot', run, '--storage-driver', 'overlay']
  }

  static async open(t: Scope): Promise<Containers> {
    const containers = new Containers(await temporaryFolder(t), await mkdtemp('/tmp/offhook-run-'))
    endBeforeRemoval(containers.folder, () => containers.#removeAll())
    return containers
  }

  async podman(...args: string[]): Promise<string> {
    const where = [...this.#store, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs']
    return (await run('podman', [...where, ...args], { maxBuffer: 100_000_000 })).stdout.trim()
  }

  /** Throws with the end of its output. Docker's format, because OCI has no HEALTHCHECK. */
  async build(context: string, file: string, ...args: string[]): Promise<void> {
    const all = [...this.#store, 'build', '--isolation', 'chroot', '--format', 'docker', '-f', file, ...args, context]
    await run('buildah', all, { maxBuffer: 100_000_000 }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`the image was not built: ${(stdout + stderr).slice(-4_000)}`)
    })
  }

  start(image: string, name: string, args: readonly string[]): Promise<string> {
    return this.podman('run', '--detach', '--name', name, ...limits, ...args, image)
  }

  /** Replaces the image that cannot be pulled here: current Debian packages. */
  async debian(tag: string): Promise<void> {
    const archive = join(this.folder, 'debian.tar')
    await run('mmdebstrap', ['--variant=minbase', ...slim, 'bookworm', archive], { maxBuffer: 100_000_000 })
    await this.podman('import', archive, tag)
  }

  /** Replaces the Node image: that Debian with the Node, npm and CA certificates of this machine. */
  async node(tag: string, debian: string): Promise<void> {
    const context = join(this.folder, 'node')
    await mkdir(context)
    await link(process.execPath, join(context, 'node')).catch(() => cp(process.execPath, join(context, 'node')))
    const { stdout } = await run('sh', ['-c', 'command -v npm'])
    await cp(join(await realpath(stdout.trim()), '../..'), join(context, 'npm'), { recursive: true })
    await cp(await realpath(authorities), join(context, 'authorities.pem'))
    const lines = [
      `FROM ${debian}`,
      'COPY node /usr/local/bin/node',
      'COPY npm /usr/local/lib/node_modules/npm',
      'COPY authorities.pem /authorities.pem',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
      'ENV NODE_EXTRA_CA_CERTS=/authorities.pem npm_config_cache=/npm npm_config_prefer_offline=true',
    ]
    await writeFile(join(context, 'Containerfile'), lines.join('\n'))
    await this.build(context, join(context, 'Containerfile'), '-t', tag)
  }

  async #removeAll(): Promise<void> {
    for (const what of [
      ['rm', '--all', '--force', '--time', '0'],
      ['rmi', '--all', '--force'],
    ])
      await this.podman(...what).catch(() => {})
    // podman leaves its store mounted on itself.
    await run('umount', ['--lazy', join(this.folder, 'store/overlay')]).catch(() => {})
    await rm(this.#run, { recursive: true })
  }
}
