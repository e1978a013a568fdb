import { MultiSelect } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { User } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

/** Own roles of a person. Empty for administrators, and while the account has no own roles. */
export const UserRoles = ({ user: { id: userId, admin, roleIds } }: { user: User }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const roles = useRead('listRoles', {}, { when: !admin }).data?.items ?? []
  const change = useWrite('setUserRoles', { refreshes: ['getUser', 'listUsers', 'listRoles'], onDone: () => toast.done(saved) })
  if (admin || roles.length === 0) return null
  return (
    <Section title={say.ofPerson} description={say.ofPersonHint}>
      <MultiSelect
        searchable
        aria-label={say.ofPerson}
        maw={520}
        data={roles.map(({ id, name }) => ({ value: id, label: name }))}
        value={roleIds}
        onChange={(chosen) => change.mutate([{ userId }, { roleIds: chosen }], { onError: (error) => toast.failed(error) })}
        disabled={change.isPending}
      />
    </Section>
  )
}
