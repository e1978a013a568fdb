import { useMay } from '#api/use-may.ts'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { AddDocuments } from './add-documents.tsx'
import { DocumentTable } from './document-table.tsx'
import { Questions } from './questions.tsx'
import { text } from './text.ts'

/** What the assistant of a flow can look up, and what it would find. */
export const KnowledgePage = () => <FlowFrame tab="knowledge">{({ id }) => <Knowledge key={id} flowId={id} />}</FlowFrame>

const Knowledge = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_FLOWS')
  return (
    <>
      {may && <AddDocuments flowId={flowId} />}
      <Section title={say.documents} description={say.about} flush>
        <DocumentTable flowId={flowId} />
      </Section>
      <Questions flowId={flowId} />
    </>
  )
}
