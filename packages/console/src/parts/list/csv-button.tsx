import { Button } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { useToast } from '../dialog/toast.tsx'
import { Icon } from '../icon/icon.tsx'
import { saveFile } from './save-file.ts'
import { text } from './text.ts'

export interface CsvButtonProps {
  /** Of the file, without its ending. */
  name: string
  make: () => Promise<Blob>
}

/** Hands the list over as a file. */
export const CsvButton = ({ name, make }: CsvButtonProps) => {
  const say = useText(text)
  const toast = useToast()
  const [isReading, setIsReading] = useState(false)
  const save = async (): Promise<void> => {
    setIsReading(true)
    try {
      saveFile(`${name}.csv`, await make())
    } catch (error) {
      toast.failed(error)
    } finally {
      setIsReading(false)
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<Icon name="download" size={14} />}
      title={say.csvHint}
      loading={isReading}
      onClick={() => void save()}
    >
      {say.csv}
    </Button>
  )
}
