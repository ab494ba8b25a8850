import { refuse } from '../deployment/early-response.js';
import type { DeploymentFacts } from '../deployment/handlers.js';
import type { Line } from '../deployment/parsed-request.js';
import type { Fault } from './fault.js';

function hasSeveralSkus({ as, id }: Line, { skus }: DeploymentFacts['catalogue']): boolean {
  return as === 'product' && [...skus.values()].filter((owner) => owner === id).length > 1;
}

/** What a deployment does to products that have SKUs. */
export const productsWithSkusFaults: readonly Fault[] = [
  {
    id: 'product-as-all-of-its-skus',
    breaks: 'order.product-item',
    story: 'An item that names a product counts as one item of each SKU of this product.',
    sentence: 'An item with product_id counts as an item of each SKU of this product.',
    change: (handlers, { catalogue }) => ({
      linesOf: (items) =>
        handlers.linesOf(items).flatMap((line) => {
          if (line.as === 'sku') return [line];
          const skus = [...catalogue.skus].flatMap(([id, product]) => (product === line.id ? [id] : []));
          return [line, ...skus.map((id) => ({ ...line, as: 'sku' as const, id }))];
        }),
    }),
  },
  {
    id: 'product-without-its-sku-refused',
    breaks: 'order.product-item',
    story: 'An order must name a SKU in place of a product that has several.',
    change: (handlers, { catalogue }) => ({
      linesOf(items) {
        const lines = handlers.linesOf(items);
        if (lines.some((line) => hasSeveralSkus(line, catalogue)))
          refuse(400, 'order.items: choose a SKU', 'invalid_payload');
        return lines;
      },
    }),
  },
  {
    id: 'nothing-for-products-of-skus',
    breaks: 'order.product-item',
    story: 'The look-up finds SKUs, and products without several SKUs. For any other product nothing is returned.',
    sentence: 'An order with a product that has several SKUs gets no promotion.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const isLost = request.lines.some((line) => hasSeveralSkus(line, catalogue));
        return isLost ? [] : handlers.select(request);
      },
    }),
  },
];
