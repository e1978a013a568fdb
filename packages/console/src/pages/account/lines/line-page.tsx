import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link, useLocation, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { VoicemailSection } from '../voicemail/voicemail-section.tsx'
import { Forwardings, type LineId } from './forwardings.tsx'
import { LineCallers } from './line-callers.tsx'
import { LineDevices } from './line-devices.tsx'
import { LineNotices } from './line-notices.tsx'
import { ParallelForwardings } from './parallel-forwardings.tsx'
import { text } from './text.ts'

type Line = OutputOf<'getPhoneline'>

export const LinePage = () => {
  const say = useText(text)
  const { userId, phonelineId } = useParams<{ userId: string; phonelineId: string }>()
  const line = useRead('getPhoneline', { userId, phonelineId })
  const back = { to: `/lines?user=${userId}`, label: say.back }
  if (line.data) return <LineContent id={{ userId, phonelineId }} line={line.data} back={back} />
  return (
    <Page title={say.line} back={back}>
      {line.isError ? <ErrorNotice error={line.error} /> : <WaitingRows />}
    </Page>
  )
}

const LineContent = ({ id, line, back }: { id: LineId; line: Line; back: { to: string; label: string } }) => {
  const may = useMay()
  const mayChange = may('CAN_CHANGE_PHONELINES')
  const voicemails = useRead('listPhonelineVoicemails', { ...id }, { when: may('CAN_GET_VOICEMAILS') }).data?.items ?? []
  return (
    <Page
      title={line.alias}
      back={back}
      width="narrow"
      actions={may('CAN_DELETE_PHONELINES') && <DeleteLine id={id} line={line} back={back.to} />}
    >
      {mayChange && <Name key={line.alias} id={id} line={line} />}
      <LineNumbers id={id} />
      <LineDevices line={id} mayChange={mayChange} />
      <ParallelForwardings line={id} mayChange={mayChange} />
      <Forwardings line={id} mayChange={mayChange} />
      <LineCallers line={id} mayChange={mayChange} />
      {voicemails.map((voicemail) => (
        <VoicemailSection key={voicemail.id} voicemailId={voicemail.id} mayChange={may('CAN_CHANGE_VOICEMAILS')} />
      ))}
      {may('CAN_USE_PHONELINE_SVCIO') && <LineNotices line={id} mayChange={mayChange} />}
    </Page>
  )
}

const Name = ({ id, line }: { id: LineId; line: Line }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const rename = useWrite('changePhoneline', {
    refreshes: ['getPhoneline', 'listPhonelines', 'listNumbers'],
    onDone: () => toast.done(saved),
  })
  return (
    <Section>
      <SavedText
        label={say.name}
        maxLength={100}
        value={line.alias}
        onSave={(alias) => rename.mutate([{ ...id }, { alias }])}
        pending={rename.isPending}
        problem={rename.error}
      />
    </Section>
  )
}

const LineNumbers = ({ id }: { id: LineId }) => {
  const say = useText(text)
  const numbers = useRead('listPhonelineNumbers', { ...id }).data?.items
  const change = (
    <Anchor component={Link} href="/numbers" size="sm">
      {say.toNumbers}
    </Anchor>
  )
  return (
    <Section title={say.numbersTitle} description={say.numbersHint} actions={change}>
      {numbers?.length === 0 ? (
        <Text size="sm">{say.noNumbers}</Text>
      ) : (
        <Stack gap="xs">
          {numbers?.map(({ id: numberId, number }) => (
            <Group key={numberId} gap="xs">
              <Icon name="hash" size={16} />
              <PhoneNumber number={number} />
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  )
}

const DeleteLine = ({ id, line: { alias }, back }: { id: LineId; line: Line; back: string }) => {
  const say = useText(text)
  const { deleted } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const [, go] = useLocation()
  const remove = useWrite('deletePhoneline', {
    refreshes: ['listPhonelines', 'listUserDevices'],
    onDone: () => {
      toast.done(deleted)
      go(back)
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ ...id }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} loading={remove.isPending} onClick={() => void ask()}>
      {say.delete}
    </Button>
  )
}
