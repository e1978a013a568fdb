import { execFile } from 'node:child_process'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startPeer, until } from './peer-process.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from './temporary-folder.ts'

const run = promisify(execFile)
const boot = join(import.meta.dirname, 'boot-systemd.sh')

/** Nested machine: systemd is its first process, its files are a copy, its network is the host's. Needs root. */
export interface SystemdMachine {
  /** Returns the output; throws on failure. */
  run(command: string, ...args: string[]): Promise<string>
}

/** `prepare` adds files in a folder that stands for `/`; paths in `seen` are visible inside as on the host. */
export const bootSystemd = async (
  t: Scope,
  prepare: (root: string) => Promise<void>,
  seen: Record<string, string> = {},
): Promise<SystemdMachine> => {
  const folder = await temporaryFolder(t)
  const files = join(folder, 'files')
  await mkdir(files)
  await prepare(files)
  await mkdir(join(folder, 'copy'))
  await writeFile(join(folder, 'console'), '')
  const group = await newControlGroup(`offhook-${basename(folder)}`)
  const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--fork', '--kill-child']
  const start = `echo $$ > ${group}/cgroup.procs && exec unshare ${namespaces.join(' ')} "$@"`
  const mounts = Object.entries(seen).flatMap(([inside, here]) => [here, inside])
  const peer = startPeer(t, 'sh', ['-c', start, 'sh', boot, folder, ...mounts], folder)
  endBeforeRemoval(folder, async () => {
    await peer.stop()
    await until('the control groups are empty', async () => (await removeGroups(group)) || undefined)
  })
  const inside = ['-m', '-p', '-u', '-i', '-C', '-r', '-w', '-t', String(await firstProcess(peer.pid))]
  const machine = { run: async (command: string, ...args: string[]) => (await run('nsenter', [...inside, command, ...args])).stdout }
  await until('systemd runs', async () => {
    if (!peer.running()) throw new Error(`systemd did not start: ${peer.output()}`)
    return machine.run('systemctl', 'is-active', 'dbus.service').catch(() => undefined)
  })
  return machine
}

const firstProcess = (pid: number): Promise<number> =>
  until('the first process of the machine', async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    return Number(children.trim()) || undefined
  })

/** Contains its services; those of the host stay unchanged. */
const newControlGroup = async (name: string): Promise<string> => {
  const mounts = await readFile('/proc/mounts', 'utf8')
  const [, top] = /^\S+ (\S+) cgroup2 /m.exec(mounts) ?? []
  if (top === undefined) throw new Error('there is no cgroup2')
  const group = join(top, name)
  await mkdir(group)
  return group
}

/** Innermost first: a group can be removed only when empty. */
const removeGroups = async (group: string): Promise<boolean> => {
  const { stdout } = await run('find', [group, '-depth', '-type', 'd'])
  const folders = stdout.split('\n').filter((folder) => folder.startsWith(dirname(group)))
  for (const folder of folders)
    if (
      !(await rmdir(folder).then(
        () => true,
        () => false,
      ))
    )
      return false
  return true
}
