import { Stack } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { CallerIds } from './caller-ids.tsx'
import type { LineId } from './line-id.ts'
import { SmppLogin } from './smpp-login.tsx'
import { text } from './text.ts'

export type SmsLine = OutputOf<'listSms'>['items'][number]

export const SmsLines = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const lines = useRead('listSms', { userId }, { when: userId !== '' })
  return (
    <Stack gap="lg">
      <UserPicker whose={whose} />
      <Loaded query={lines}>
        {({ items }) =>
          items.length === 0 ? (
            <Section flush>
              <EmptyState icon="message" title={say.noLines}>
                {say.noLinesBody}
              </EmptyState>
            </Section>
          ) : (
            items.map((line) => <Line key={line.id} id={{ userId, smsId: line.id }} line={line} />)
          )
        }
      </Loaded>
    </Stack>
  )
}

const Line = ({ id, line }: { id: LineId; line: SmsLine }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const mayChange = useMay()('CAN_CHANGE_SMS')
  const rename = useWrite('changeSms', { refreshes: ['listSms'], onDone: () => toast.done(saved) })
  return (
    <>
      <Section title={line.alias}>
        <Stack maw={520}>
          <SavedText
            key={line.alias}
            label={say.name}
            maxLength={100}
            value={line.alias}
            disabled={!mayChange}
            onSave={(alias) => rename.mutate([{ ...id }, { alias }])}
            pending={rename.isPending}
            problem={rename.error}
          />
        </Stack>
      </Section>
      <CallerIds line={id} mayChange={mayChange} />
      {mayChange && <SmppLogin line={id} />}
    </>
  )
}
