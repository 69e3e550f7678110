import { Box, Text, Transform } from "ink";
import type { ReactNode } from "react";

import type { Piece, SlotName } from "../frame/index.js";
import { encodeStyle } from "../terminal/index.js";

/** Styled pieces on one row, cut at the right edge. */
export function Line({ pieces }: { readonly pieces: readonly Piece[] }): ReactNode {
  return (
    <Text wrap="truncate-end">
      {pieces.map((piece, index) => (
        <Transform key={index} transform={(text) => encodeStyle(text, piece.style)}>
          <Text>{piece.text}</Text>
        </Transform>
      ))}
    </Text>
  );
}

/** A rectangle for the compositor to fill. */
export function SlotArea({ name, width, height }: { readonly name: SlotName; readonly width: number; readonly height: number }): ReactNode {
  return (
    <Box flexDirection="column" flexShrink={0} width={width} height={height}>
      {Array.from({ length: height }, (_, index) => (
        <Line key={index} pieces={[{ text: " ".repeat(width), style: name }]} />
      ))}
    </Box>
  );
}
