import { useQueries } from '@tanstack/react-query'
import { api } from '#api/client.ts'
import { useRead } from '#api/use-service.ts'
import { fullName, selectable } from '#lazy-parts/people.ts'

interface Choice {
  value: string
  label: string
}

export interface Describable {
  lines: Choice[]
  groups: Choice[]
}

/** Everything of the account whose calls can be told, by name. Lines are asked for user by user. Undefined while it is read. */
export const useDescribable = (): Describable | undefined => {
  const read = useRead('listUsers').data?.items
  const users = read && selectable(read)
  const groups = useRead('listGroups').data?.items
  const lines = useQueries({
    queries: (users ?? []).map((user) => ({
      queryKey: ['listPhonelines', { userId: user.id }],
      queryFn: () => api.listPhonelines({ userId: user.id }),
    })),
  })
  if (!users || !groups || lines.some(({ isPending }) => isPending)) return undefined
  const linesOf = (place: number) => lines[place]?.data?.items ?? []
  return {
    lines: users.flatMap((user, place) => linesOf(place).map(({ id, alias }) => ({ value: id, label: lineName(alias, fullName(user)) }))),
    groups: groups.map(({ id, alias }) => ({ value: id, label: alias })),
  }
}

/** The first line of a user is called like the user. */
const lineName = (alias: string, owner: string): string => (alias === owner ? alias : `${alias} (${owner})`)
