import { chmod, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer } from '../machine/peer-process.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

/** User id to run as: it rejects root. */
const nobody = 65_534

/** PgBouncer in transaction mode in front of a server and all its databases: each transaction gets any of few sessions. Returns the URL through it. */
export const startPgbouncer = async (t: Scope, url: string, { sessions = 3 } = {}): Promise<string> => {
  const folder = await temporaryFolder(t)
  const { hostname, port, username } = new URL(url)
  const own = await freePorts(t, 1)
  const users = join(folder, 'users.txt')
  await writeFile(users, `"${username}" ""\n`)
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 200
server_idle_timeout = 2
`,
  )
  const asRoot = process.getuid?.() === 0
  if (asRoot) for (const file of [folder, users, settings]) await chown(file, nobody, nobody)
  await chmod(folder, 0o755)
  const peer = startPeer(t, '/usr/sbin/pgbouncer', [...(asRoot ? ['-u', 'nobody'] : []), settings], folder)
  endBeforeRemoval(folder, () => peer.stop())
  await listening(peer, 'tcp', own)
  const through = new URL(url)
  through.port = String(own)
  return through.href
}
