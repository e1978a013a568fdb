import { Alert, Box, Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { toBase64 } from '../voicemail/telephone-sound.ts'
import { PdfDrop, type Pdf } from './pdf-drop.tsx'
import { SentFax } from './sent-fax.tsx'
import { text } from './text.ts'
import { useSendingLines, type SendingLine } from './use-sending-lines.ts'

interface Input {
  recipient: string
  faxlineId: string | null
}

/** A PDF to a number; what became of it is watched below. */
export const SendFax = () => {
  const say = useText(text)
  const lines = useSendingLines()
  const [pdf, setPdf] = useState<Pdf>({})
  const [sent, setSent] = useState<string>()
  const send = useWrite('sendFax', { refreshes: ['listOwnHistory'], onDone: ({ sessionId }) => (setSent(sessionId), setPdf({})) })
  const form = useForm<Input>({ recipient: '', faxlineId: null }, send.error)
  const faxlineId = form.values.faxlineId ?? lines?.[0]?.id ?? ''
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const { file } = pdf
    if (!file) return setPdf({ problem: pdf.problem ?? say.needsPdf })
    const base64Content = toBase64(new Uint8Array(await file.arrayBuffer()))
    return send.mutate([{}, { faxlineId, recipient: form.values.recipient, filename: file.name, base64Content }])
  }
  return (
    <Stack gap="lg" mb="lg">
      <Section title={say.send}>
        {lines?.length === 0 && <NoLine />}
        <form onSubmit={(event) => void submit(event)} noValidate>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
            <PdfDrop pdf={pdf} onPdf={setPdf} />
            <Stack>
              <Ends form={form} lines={lines ?? []} />
              <Group justify="flex-end">
                <Button type="submit" leftSection={<Icon name="send" size={16} />} loading={send.isPending} disabled={faxlineId === ''}>
                  {say.sendNow}
                </Button>
              </Group>
            </Stack>
          </SimpleGrid>
          <Box mt={send.error ? 'md' : 0}>
            <ErrorNotice error={send.error} />
          </Box>
        </form>
      </Section>
      {sent !== undefined && <SentFax key={sent} faxId={sent} onHide={() => setSent(undefined)} />}
    </Stack>
  )
}

const NoLine = () => (
  <Alert color="yellow" icon={<Icon name="alert" />} mb="md">
    {useText(text).noLine}
  </Alert>
)

/** To whom, and from which line where there are several. */
const Ends = ({ form, lines }: { form: Form<Input>; lines: readonly SendingLine[] }) => {
  const say = useText(text)
  return (
    <>
      <TextInput
        label={say.recipient}
        description={say.recipientHint}
        placeholder="+49 30 1234567"
        type="tel"
        required
        maxLength={64}
        {...form.text('recipient')}
      />
      {lines.length > 1 && (
        <Select
          label={say.fromLine}
          allowDeselect={false}
          data={lines.map(({ id, alias }) => ({ value: id, label: alias }))}
          {...form.value('faxlineId')}
          value={form.values.faxlineId ?? lines[0]?.id ?? null}
        />
      )}
    </>
  )
}
