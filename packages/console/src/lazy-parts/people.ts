import { useSearchParams } from 'wouter'
import { useMe } from '../api/use-me.ts'
import { useRead, type OutputOf } from '../api/use-service.ts'

export type User = OutputOf<'listUsers'>['items'][number]

/** Whether they are active is not told everywhere. */
export type Person = Pick<User, 'id' | 'firstname' | 'lastname'> & Partial<Pick<User, 'active'>>

export const fullName = ({ firstname, lastname }: Omit<Person, 'id'>): string => `${firstname} ${lastname}`.trim()

/** Who can be chosen for something new: nobody who has left, but whoever is there already. */
export const selectable = <P extends Person>(users: readonly P[], chosen: readonly string[] = []): P[] =>
  users.filter(({ id, active = true }) => active || chosen.includes(id))

export interface Whose {
  /** Whose things a page shows; undefined until it is known. */
  userId: string | undefined
  /** The users to choose from: a user who is no administrator sees only themselves. */
  users: readonly User[]
  choose: (userId: string) => void
}

/** Whose devices, lines … are looked at. Stands in the address of the page, so that it survives a reload and can be passed on. */
export const useWhose = (): Whose => {
  const me = useMe()?.id
  const { data } = useRead('listUsers')
  const [search, setSearch] = useSearchParams()
  return {
    userId: search.get('user') ?? me,
    users: data?.items ?? [],
    choose: (userId) => setSearch({ user: userId }, { replace: true }),
  }
}
