import { Alert, Box, Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState, type FormEvent, useEffect } from 'react'
import { useWrite, useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { toBase64 } from '../voicemail/telephone-sound.ts'
import { text } from './text.ts'
import { useSendingLines, type SendingLine } from './use-sending-lines.ts'
import { FileDrop } from '#lazy-parts/file-drop.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Loaded } from '#parts/page/loaded.tsx'
import { isUnderWay } from './fax-details.tsx'
import { FaxProgress } from './fax-details.tsx'

interface Input {
  recipient: string
  faxlineId: string | null
}

/** Sends a PDF to a number; its progress is shown below. */
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

/** Recipient, and the sending line if there are several. */
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

const maxBytes = 10 * 1024 * 1024

interface Pdf {
  file?: File
  problem?: string
}

/** Accepts a dropped or chosen PDF; immediately reports other files. */
const PdfDrop = ({ pdf: { file, problem }, onPdf }: { pdf: Pdf; onPdf: (pdf: Pdf) => void }) => {
  const say = useText(text)
  const { bytes } = useFormat()
  const take = ([taken]: File[]): void => {
    if (!taken) return
    if (!/\.pdf$/i.test(taken.name)) return onPdf({ problem: say.notPdf })
    onPdf(taken.size > maxBytes ? { problem: say.tooLarge } : { file: taken })
  }
  return (
    <FileDrop
      accept="application/pdf,.pdf"
      icon={file ? 'fax' : 'upload'}
      words={file ? say.chosen(file.name, bytes(file.size)) : say.drop}
      hint={file ? say.another : say.dropHint}
      problem={problem}
      onFiles={take}
    />
  )
}

const pollIntervalMs = 700

/** Follows a sent fax until its end. */
const SentFax = ({ faxId, onHide }: { faxId: string; onHide: () => void }) => {
  const say = useText(text)
  const { phone } = useFormat()
  const queries = useQueryClient()
  const known = useRead('getOwnHistoryEntry', { entryId: faxId })
  const ended = known.data !== undefined && !isUnderWay(known.data)
  const fax = useRead('getOwnHistoryEntry', { entryId: faxId }, ended ? {} : { every: pollIntervalMs })
  const status = fax.data?.faxStatusType
  useEffect(() => void queries.invalidateQueries({ queryKey: ['listOwnHistory'] }), [queries, status])
  const hide = ended && (
    <Button size="xs" variant="default" onClick={onHide}>
      {say.hide}
    </Button>
  )
  return (
    <Section title={say.onItsWay(phone(fax.data?.target ?? ''))} actions={hide}>
      <Loaded query={fax}>{(entry) => <FaxProgress entry={entry} />}</Loaded>
    </Section>
  )
}
