import { useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RoutingSection } from '#lazy-parts/routing/routing-section.tsx'
import { useText } from '#words/use-text.tsx'
import { VoicemailSection } from '../voicemail/voicemail-section.tsx'
import { Forwardings } from './forwardings.tsx'
import type { LineId } from './line-id.ts'
import { LineCallers } from './line-callers.tsx'
import { LineDevices } from './line-devices.tsx'
import { LineNotices } from './line-notices.tsx'
import { ParallelForwardings } from './parallel-forwardings.tsx'
import { text } from './text.ts'
import { type Line, LineName, LineNumbers, DeleteLine } from './line-sections.tsx'

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
      {mayChange && <LineName key={line.alias} id={id} line={line} />}
      <LineNumbers id={id} />
      <LineDevices line={id} mayChange={mayChange} />
      <ParallelForwardings line={id} mayChange={mayChange} />
      <Forwardings line={id} mayChange={mayChange} />
      <RoutingSection target={id.phonelineId} mayChange={mayChange} />
      <LineCallers line={id} mayChange={mayChange} />
      {voicemails.map((voicemail) => (
        <VoicemailSection key={voicemail.id} voicemailId={voicemail.id} mayChange={may('CAN_CHANGE_VOICEMAILS')} />
      ))}
      {may('CAN_USE_PHONELINE_SVCIO') && <LineNotices line={id} mayChange={mayChange} />}
    </Page>
  )
}
