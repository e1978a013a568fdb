import { useParams } from 'wouter'
import { useWrite } from '#api/use-service.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { useKeptTimeline } from '../timeline/use-timeline.ts'
import { LabFormSection } from './lab-form.tsx'
import { LabReportSection } from './lab-report.tsx'
import { text } from './text.ts'

/** What would have been in a call with other settings of turn taking and interruption. */
export const LabPage = () => {
  const say = useText(text)
  const { callId } = useParams<{ callId: string }>()
  const timeline = useKeptTimeline(callId)
  const lab = useWrite('runLab')
  return (
    <Page title={say.title} description={say.lead} back={{ to: `/calls/${callId}`, label: say.back }}>
      <LabFormSection onRun={(variants) => lab.mutate([{ callId }, { variants }])} pending={lab.isPending} error={lab.error} />
      {lab.data && <LabReportSection report={lab.data} picture={timeline.data} />}
    </Page>
  )
}
