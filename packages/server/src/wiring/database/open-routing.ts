import { realClock } from '#adapters/clock/real-clock.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Changes } from '#core/kernel/ports/changes.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { RoutingMemory } from '#core/operate/nodes/routing-memory.ts'
import type { Open } from '../closing.ts'

/** What calls are led by while the database is away. As long as the bus is there, every change is heard of. */
export const openRouting = ({ reach }: Store, bus: Bus, changes: Changes, open: Open): RoutingMemory | undefined => {
  if (!reach) return undefined
  const memory = new RoutingMemory({ clock: realClock(), reach, exact: () => bus.connected })
  const stop = memory.heed(changes)
  open({ close: async () => stop() })
  return memory
}
