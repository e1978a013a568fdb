import { Stack } from '@mantine/core'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { text } from './text.ts'
import { useFaxGroups } from './use-sending-lines.ts'
import { GroupFaxLines } from './group-fax-lines.tsx'
import { UserFaxLine } from './user-fax-line.tsx'

/** The fax lines of a user, and those of the groups. */
export const FaxLines = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const lines = useRead('listFaxlines', { userId }, { when: userId !== '' })
  const groups = useFaxGroups()
  return (
    <Stack gap="lg">
      <UserPicker whose={whose} />
      <Loaded query={lines}>
        {({ items }) =>
          items.length === 0 ? (
            <Section flush>
              <EmptyState icon="fax" title={say.noLines}>
                {say.noLinesBody}
              </EmptyState>
            </Section>
          ) : (
            items.map((line) => <UserFaxLine key={line.id} userId={userId} line={line} />)
          )
        }
      </Loaded>
      {groups.map((group) => (
        <GroupFaxLines key={group.id} group={group} />
      ))}
    </Stack>
  )
}
