import { fillAccount } from '../../test/isolation/fixtures.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { Client, type Answer } from './client.ts'

/** The whole service on this thread, with an account that has one of each resource. */
export interface Service {
  world: World
  ada: Person
  ids: Record<string, string>
  operatorToken: string
  ask: (input: { method?: string; path: string; body?: string | undefined; type?: string; token?: string }) => Promise<Answer>
}

export const openService = async (scope: Scope): Promise<Service> => {
  const client = new Client()
  scope.after(() => client.close())
  let idle = (): Promise<void> => Promise.resolve()
  const world = await startWorld(scope, { sharedClock: new VirtualClock(undefined, () => idle()) })
  idle = () => world.running.idle()
  const { ada, ids } = await fillAccount(world)
  const operatorToken = await operatorTokenOf(world)
  return {
    world,
    ada,
    ids,
    operatorToken,
    ask: ({ method = 'POST', path, body, type = 'application/json', token = ada.token }) =>
      client.ask({
        method,
        url: world.url + path,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          ...(body !== undefined && { 'content-type': type }),
        },
        body,
      }),
  }
}

const operatorTokenOf = async (world: World): Promise<string> => {
  const { issueToken } = await import('#core/account/identity/tokens/tokens.ts')
  return world.write(async (tables) => {
    const operator = { id: 'bench', email: 'bench@example.com', name: 'Op', passwordHash: 'none', createdAt: world.clock.now() }
    await tables.operators.insert(operator)
    return issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId: 'bench' }, subject: 'bench', scopes: ['all'] })
  })
}
