import { Stack } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'
import type { FaxGroup } from './use-sending-lines.ts'
import { CallerChoice, LeadingNumbers } from './fax-line-fields.tsx'

export const GroupFaxLines = ({ group: { id: groupId, alias } }: { group: FaxGroup }) => {
  const lines = useRead('listGroupFaxlines', { groupId }).data?.items ?? []
  return lines.map((line) => <GroupLine key={line.id} faxlineId={line.id} alias={line.alias} group={alias} />)
}

const GroupLine = ({ faxlineId, alias, group }: { faxlineId: string; alias: string; group: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const caller = useRead('getGroupFaxlineCallerId', { faxlineId }).data?.value
  const set = useWrite('setGroupFaxlineCallerId', { refreshes: ['getGroupFaxlineCallerId'], onDone: () => toast.done(saved) })
  return (
    <Section title={alias} description={say.ofGroup(group)}>
      <Stack gap="lg" maw={520}>
        <CallerChoice
          value={caller}
          onChoose={(value) => set.mutate([{ faxlineId }, { value }])}
          pending={set.isPending || !may('CAN_CHANGE_GROUPS')}
          problem={set.error}
        />
        <LeadingNumbers numbers={useRead('listGroupFaxlineNumbers', { faxlineId })} />
      </Stack>
    </Section>
  )
}
