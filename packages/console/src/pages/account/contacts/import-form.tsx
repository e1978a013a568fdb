import { FileInput, Select, Switch } from '@mantine/core'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { ImportPreview } from './import-preview.tsx'
import { text } from './text.ts'
import { useImport } from './use-import.ts'

const ways = ['MERGE', 'SKIP', 'REPLACE'] as const

/** A file of another address book: what would come of it is shown before anything happens. */
export const ImportForm = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const { wish: input, tooLarge, change, take, submit, trial, run, isReady } = useImport(onClose)
  return (
    <FormModal
      opened
      size="lg"
      title={say.import}
      submit={say.importNow}
      disabled={!isReady}
      onClose={onClose}
      onSubmit={submit}
      pending={run.isPending}
      error={run.error ?? trial.error}
    >
      <FileInput
        label={say.file}
        description={say.fileHint}
        placeholder={say.chooseFile}
        accept=".vcf,.csv,text/vcard,text/csv"
        leftSection={<Icon name="upload" size={16} />}
        onChange={(file) => void take(file)}
        error={tooLarge ? say.tooLarge : undefined}
      />
      <Select
        label={say.known}
        data={ways.map((value) => ({ value, label: say.ways[value] }))}
        allowDeselect={false}
        value={input.duplicates ?? 'MERGE'}
        onChange={(value) => change({ duplicates: ways.find((way) => way === value) ?? 'MERGE' })}
      />
      <Switch
        label={say.shared}
        description={say.importSharedHint}
        checked={input.shared ?? false}
        onChange={({ currentTarget }) => change({ shared: currentTarget.checked })}
      />
      {trial.data && <ImportPreview outcome={trial.data} />}
    </FormModal>
  )
}
