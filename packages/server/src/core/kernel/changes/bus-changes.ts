import type { Bus } from '../ports/bus.ts'
import type { Changes } from '../ports/changes.ts'
import type { Tables } from '../ports/store/index.ts'

/** Over the bus; what is told while it is away reaches nobody, therefore `onDoubt` when it comes back. */
export const busChanges = (bus: Bus): Changes => ({
  notify: (table, id) => bus.notify(subjectOf(table), id),
  on: (table, changed) => bus.hear(subjectOf(table), (id) => changed(id as string)),
  onDoubt: (doubt) => bus.onConnection((connected) => connected && doubt()),
})

const subjectOf = (table: keyof Tables): string => `changed.${table}`
