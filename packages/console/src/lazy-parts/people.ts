import { useSearchParams } from 'wouter'
import { useMe } from '../api/use-me.ts'
import { useRead, type OutputOf } from '../api/use-service.ts'

export type User = OutputOf<'listUsers'>['items'][number]

/** Not every reply has `active`. */
export type Person = Pick<User, 'id' | 'firstname' | 'lastname'> & Partial<Pick<User, 'active'>>

export const fullName = ({ firstname, lastname }: Omit<Person, 'id'>): string => `${firstname} ${lastname}`.trim()

/** Users to choose from: no inactive ones, except those already chosen. */
export const selectable = <P extends Person>(users: readonly P[], chosen: readonly string[] = []): P[] =>
  users.filter(({ id, active = true }) => active || chosen.includes(id))

export interface Whose {
  /** User whose data the page shows; undefined until known. */
  userId: string | undefined
  /** The users to choose from: a user who is not an administrator sees only themselves. */
  users: readonly User[]
  choose: (userId: string) => void
}

/** User whose devices, lines … are shown. Part of the page address, so that it survives a reload and can be shared. */
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
