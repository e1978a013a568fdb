import { useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RoutingSection } from '#lazy-parts/routing/routing-section.tsx'
import { useText } from '#words/use-text.tsx'
import { VoicemailSection } from '../voicemail/voicemail-section.tsx'
import { GroupDevices } from './group-devices.tsx'
import { text } from './text.ts'
import { GroupSummary, GroupNumbers, DeleteGroup } from './group-sections.tsx'
import { GroupSettingsSection } from './group-settings.tsx'

export const GroupPage = () => {
  const say = useText(text)
  const may = useMay()
  const { groupId } = useParams<{ groupId: string }>()
  const group = useRead('getGroup', { groupId })
  const mayChange = may('CAN_CHANGE_GROUPS')
  const voicemails = useRead('listGroupVoicemails', { groupId }, { when: group.isSuccess }).data?.items ?? []
  return (
    <Page
      title={group.data?.alias ?? say.group}
      back={{ to: '/groups', label: say.back }}
      width="narrow"
      actions={mayChange && group.data && <DeleteGroup group={group.data} />}
    >
      {group.isError && <ErrorNotice error={group.error} />}
      {group.isPending && <WaitingRows />}
      {group.data && (
        <>
          {mayChange ? <GroupSettingsSection key={JSON.stringify(group.data)} group={group.data} /> : <GroupSummary group={group.data} />}
          <GroupNumbers groupId={groupId} />
          {mayChange && <GroupDevices groupId={groupId} members={group.data.members} />}
          <RoutingSection target={groupId} mayChange={mayChange} />
          {voicemails.map(({ id }) => (
            <VoicemailSection key={id} voicemailId={id} mayChange={mayChange} ofGroup />
          ))}
        </>
      )}
    </Page>
  )
}
