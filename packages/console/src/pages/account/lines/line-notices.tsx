import { Button, Group, Stack } from '@mantine/core'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { LogTable } from '#pages/notices/log-table.tsx'
import { CallAddresses } from '../parts/call-addresses.tsx'
import { text as accountText } from '../parts/text.ts'
import type { LineId } from './line-id.ts'
import { text } from './text.ts'

type Addresses = OutputOf<'getPhonelineSvcio'>

/** Own software that is told about the calls of this line, before the account's is asked. */
export const LineNotices = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const addresses = useRead('getPhonelineSvcio', { ...line })
  const notified = addresses.data !== undefined && `${addresses.data.incomingUrl}${addresses.data.outgoingUrl}` !== ''
  return (
    <>
      <Section title={say.notices} description={say.noticesHint}>
        <Loaded query={addresses}>
          {(now) => <AddressForm key={JSON.stringify(now)} line={line} addresses={now} mayChange={mayChange} />}
        </Loaded>
      </Section>
      {notified && <LineLog line={line} />}
    </>
  )
}

const AddressForm = ({ line, addresses, mayChange }: { line: LineId; addresses: Addresses; mayChange: boolean }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const { save } = useText(partsText)
  const toast = useToast()
  const change = useWrite('setPhonelineSvcio', { refreshes: ['getPhonelineSvcio'], onDone: () => toast.done(saved) })
  const form = useForm(addresses, change.error)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate([{ ...line }, form.values])
      }}
    >
      <Stack maw={520}>
        <CallAddresses incoming={form.text('incomingUrl')} outgoing={form.text('outgoingUrl')} whenEmpty={say.noticesWhenEmpty} />
        <ErrorNotice error={change.error} />
        {mayChange && form.changed && (
          <Group>
            <Button type="submit" loading={change.isPending}>
              {save}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

const LineLog = ({ line }: { line: LineId }) => {
  const say = useText(text)
  const log = useRead('listPhonelineSvcioLog', { ...line }, { every: 5_000 })
  return (
    <Section title={say.noticesLog} flush>
      <Loaded query={log}>{({ items }) => <LogTable entries={items} />}</Loaded>
    </Section>
  )
}
