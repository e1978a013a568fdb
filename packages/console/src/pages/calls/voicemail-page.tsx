import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { HistoryList } from './history/history-list.tsx'
import { text } from './parts/text.ts'

/** Voicemails with their transcripts. */
export const VoicemailPage = () => {
  const say = useText(text)
  return (
    <Page title={say.voicemails} description={say.voicemailLead}>
      <HistoryList only="VOICEMAIL" />
    </Page>
  )
}
